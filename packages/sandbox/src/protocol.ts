import type { ScriptFault, scriptLimits } from "@tapeline/core/analysis"
import type { CompiledModule } from "./webAssembly.ts"

/** The sources of `@tapeline/quant`, as scripts can load them, under the names by which they import each other. */
export interface QuantSources {
  readonly entry: string
  readonly sources: ReadonlyMap<string, string>
}

/** The data with which a thread is started. */
export interface WorkerData {
  /** QuickJS, compiled once for all threads. */
  readonly engine: CompiledModule
  readonly code: string
  /** The inputs as JSON. */
  readonly inputs: string
  /** The functions that the script can call, with the maximum number of calls of each. */
  readonly functions: ReadonlyArray<{ readonly name: string; readonly atMost: number }>
  readonly quant: QuantSources | undefined
  readonly memoryMb: number
  readonly limits: typeof scriptLimits
}

/** A message from a thread. Texts from the script are JSON, or are shown only to the script's author. */
export type ThreadMessage =
  /** The script itself begins. */
  | { readonly _tag: "Began" }
  | { readonly _tag: "Asked"; readonly id: number; readonly name: string; readonly args: string }
  | { readonly _tag: "Logged"; readonly line: string }
  | { readonly _tag: "Ended"; readonly value: string }
  /** `callId` is the call whose failure the script did not catch. */
  | { readonly _tag: "Failed"; readonly fault: ScriptFault; readonly callId: number | null }

/** The result of a call that a thread requested: JSON of a `Reply`. */
export interface CallResult {
  readonly id: number
  readonly text: string
}

/** The reply to a script's function, as JSON. */
export type Reply =
  | { readonly value: unknown }
  | { readonly error: { readonly message: string; readonly code?: string | undefined; readonly id: number | null } }
