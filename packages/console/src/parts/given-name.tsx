import { plainText } from './plain-text.ts';

/** A name that an application or an upstream has chosen: it changes nothing around it, and is cut where it is long. */
export function GivenName({ name }: { readonly name: string }) {
  const plain = plainText(name);
  return (
    <bdi className="given-name" title={plain}>
      {plain}
    </bdi>
  );
}
