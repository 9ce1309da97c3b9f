/* oxlint-disable typescript/no-unsafe-call, typescript/no-unsafe-assignment, typescript/no-unsafe-return, typescript/no-unsafe-member-access -- a script for browsers, to which the viewer tells no types */
/* global SwaggerUIBundle */
/** Shows the reference; the token that a person pastes stays in this page, and is gone with it. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

// Browsers keep whole pages to go back to.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

/** What is typed into a field of text, browsers keep for good, to offer it again. */
const secretFields = () => ({
  wrapComponents: {
    Input:
      (Input, { React }) =>
      (props) =>
        React.createElement(
          Input,
          props.id === 'auth-bearer-value'
            ? { ...props, type: 'password', autoComplete: 'off' }
            : props,
        ),
  },
});

const answer = await fetch('/docs/reference.json');
const text = await answer.text();
SwaggerUIBundle({
  dom_id: '#reference',
  // The curl lines are for the address by which the page was reached.
  spec: JSON.parse(text.replaceAll('$PATCHBAY_BASE_URL', location.origin)),
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: -1,
  // Nobody else is told of the document.
  validatorUrl: null,
  persistAuthorization: false,
  plugins: [secretFields],
  tryItOutEnabled: true,
  syntaxHighlight: { activated: false },
});
