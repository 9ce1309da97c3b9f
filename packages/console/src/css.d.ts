/** Vite makes files of them, which a page loads with its scripts. */
declare module '*.css';
