import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { pathOf } from './routing/location.ts';
import { pageAt } from './shell/pages.ts';

// While it is asked who is signed in.
pageAt(pathOf(location.pathname))?.page.content.loadAhead();
const root = document.querySelector('#console');
if (root !== null) createRoot(root).render(<App />);
