import { fsyncSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** The part of PGlite's module that is mounted on the machine's file system. */
interface NodeFileSystemModule {
  readonly FS: {
    readonly filesystems: {
      readonly NODEFS: {
        /** `nfd` is the descriptor of the file or folder; the result is 0 or an error number. */
        readonly stream_ops: { fsync?: (stream: { readonly nfd: number }) => number };
      };
    };
  };
}

type InitResult = Awaited<ReturnType<NodeFS['init']>>;

/**
 * A data folder whose commits survive a power cut. PGlite's own leaves `fsync` out, so that an
 * acknowledged row is only in the page cache; it costs one disk flush per commit to have it right.
 */
export class DurableFileSystem extends NodeFS {
  override async init(pglite: PGlite, options: Parameters<NodeFS['init']>[1]): Promise<InitResult> {
    const result = await super.init(pglite, options);
    result.emscriptenOpts.preRun = [
      ...(result.emscriptenOpts.preRun ?? []),
      (module: unknown) => {
        // Proof: NodeFS.init has just used the same module's NODEFS; the version is pinned exactly.
        const { NODEFS } = (module as NodeFileSystemModule).FS.filesystems;
        NODEFS.stream_ops.fsync = flush;
      },
    ];
    return result;
  }
}

function flush(stream: { readonly nfd: number }): number {
  fsyncSync(stream.nfd);
  return 0;
}
