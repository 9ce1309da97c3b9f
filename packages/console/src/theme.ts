import { createTheme } from '@mantine/core';
import { FocusableButton } from './parts/focusable-button.tsx';

/** Shades on which text and its ground differ enough in both colour schemes; the rest is in style.css. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'sm',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  components: { Button: { defaultProps: { component: FocusableButton } } },
});
