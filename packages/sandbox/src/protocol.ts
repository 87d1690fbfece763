import type { ScriptFault, scriptLimits } from "@tapeline/core/analysis"
import type { Compiled } from "./webAssembly.ts"

/** The sources of `@tapeline/quant` as scripts can load them: by the names by which they import one another. */
export interface QuantSources {
  readonly entry: string
  readonly sources: ReadonlyMap<string, string>
}

/** What a thread is started with. */
export interface WorkerData {
  /** QuickJS, compiled once for all threads. */
  readonly engine: Compiled
  readonly code: string
  /** As JSON. */
  readonly inputs: string
  /** The functions that the script has, each with how often it may be called. */
  readonly functions: ReadonlyArray<{ readonly name: string; readonly atMost: number }>
  readonly quant: QuantSources | undefined
  readonly memoryMb: number
  readonly limits: typeof scriptLimits
}

/** What a thread tells. Texts that came from the script are JSON, or are shown to its author alone. */
export type Told =
  /** The script itself begins. */
  | { readonly _tag: "Began" }
  | { readonly _tag: "Asked"; readonly id: number; readonly name: string; readonly args: string }
  | { readonly _tag: "Logged"; readonly line: string }
  | { readonly _tag: "Ended"; readonly value: string }
  /** `asked` is the call whose failure the script let pass. */
  | { readonly _tag: "Failed"; readonly fault: ScriptFault; readonly asked: number | null }

/** What comes of a call that a thread told: JSON of a `Reply`. */
export interface Answered {
  readonly id: number
  readonly text: string
}

/** What a script's function gets, as JSON. */
export type Reply =
  | { readonly value: unknown }
  | { readonly error: { readonly message: string; readonly code?: string | undefined; readonly id: number | null } }
