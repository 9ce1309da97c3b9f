import { existsSync } from 'node:fs';

/** Where Debian's package puts it. */
export const CHROMIUM = '/usr/bin/chromium';

const SHELL = '/usr/bin/chromium-headless-shell';

/**
 * The same engine without a window around it, where Debian's package of it is there: pages take it a
 * third of the time. What is the window's, as blocking pop-ups, it has not.
 */
export const CHROMIUM_OF_PAGES = existsSync(SHELL) ? SHELL : CHROMIUM;

/** Why tests in a browser cannot run here; `false` where they can. */
export const NO_BROWSER = existsSync(CHROMIUM)
  ? false
  : `${CHROMIUM} is missing: apt-get install -y chromium runs this test`;
