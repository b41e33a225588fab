/** How faces find each other at run time: each is its own chunk of the executable, loaded only when asked for. */

export type FaceName =
  | 'lint'
  | 'install'
  | 'wizard'
  | 'console'
  | 'supervise'
  | 'machine'
  | 'status'
  | 'boot'
  | 'panel'
  | 'pair'
  | 'update';

/** What `src/main.ts` hands to a face. */
export interface Host {
  /** Name the program was called by, for usage texts: `spatium-install`, `spatium machine`. */
  readonly program: string;
  readonly version: string;
  /** Loads another face's module. Only composition roots call it. */
  load(face: FaceName): Promise<unknown>;
}

/** Every face's root module exports this. Resolves to the exit code. */
export type RunFace = (argv: readonly string[], host: Host) => Promise<number>;
