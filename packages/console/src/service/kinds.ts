import type { KindDescription } from '@patchbay/client';
import { useQuery } from '@tanstack/react-query';
import { specsBelow, type FieldSpec } from '../parts/values/field-spec.ts';
import { useService } from './service.tsx';

/** All kinds of the service, as it describes them; they change with its versions only. */
export function useKinds() {
  const service = useService();
  return useQuery({
    queryKey: ['kinds'],
    queryFn: async ({ signal }) => {
      const answer = await service.request('GET', '/api/v1/connector-kinds', { signal });
      // docs/wire.md#describe
      return (answer as { readonly data: readonly KindDescription[] }).data;
    },
    staleTime: Infinity,
  });
}

/** One way to authenticate upstream. */
export type AuthMethod = KindDescription['auth_methods'][number];

/** The fields of a method's credentials, none of which a form shows. */
export function credentialFields(method: AuthMethod | undefined): readonly FieldSpec[] {
  const described = (method?.fields ?? []).map((field) => ({
    ...field,
    expects: 'a text',
    schema: { type: 'string' },
  }));
  return specsBelow('credentials', described).map((spec) => ({ ...spec, isSecret: true }));
}
