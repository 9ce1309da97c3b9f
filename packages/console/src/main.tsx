import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

const root = document.querySelector('#console');
if (root !== null) createRoot(root).render(<App />);
