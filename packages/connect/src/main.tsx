import { render } from 'preact';
import { Page } from './page.tsx';
import { texts } from './texts/texts.ts';

document.documentElement.lang = texts.language;
const root = document.querySelector('#page');
if (root !== null) render(<Page />, root);
