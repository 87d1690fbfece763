/** What a worker is started with. */
export interface WorkerData {
  /** Modules by their URLs, each of which exports `jobs`. */
  readonly modules: ReadonlyArray<string>
}

/** What a worker is asked: one job at a time. */
export interface Asked {
  readonly job: string
  readonly input: unknown
}

/** What a worker tells: that it may be asked, and what became of a job. */
export type Told =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Done"; readonly output: unknown }
  | { readonly _tag: "Threw"; readonly error: unknown }
