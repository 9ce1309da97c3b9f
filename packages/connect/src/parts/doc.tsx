const ADDRESS = /(https:\/\/[^\s<>"]*[^\s<>".,;:!?)])/;

/** A sentence of a definition; the addresses in it lead there, in a window of their own. */
export function Doc({ text, id }: { readonly text: string; readonly id?: string }) {
  return (
    <span class="doc" id={id}>
      {text.split(ADDRESS).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <a href={part} target="_blank" rel="noopener noreferrer">
            {part.replace('https://', '')}
          </a>
        ),
      )}
    </span>
  );
}
