import type { ScriptFault, scriptLimits } from "@tapeline/core/analysis"
import type { CompiledModule } from "./webAssembly.ts"

/** The sources of `@tapeline/quant`, by the names with which the modules import each other. */
export interface QuantSources {
  readonly entry: string
  readonly sources: ReadonlyMap<string, string>
}

/** The initial data of a sandbox thread. */
export interface WorkerData {
  /** The QuickJS module, compiled once for all threads. */
  readonly engine: CompiledModule
  readonly code: string
  /** The inputs of the script, as JSON. */
  readonly inputs: string
  /** The functions that the script can call, and the maximum number of calls of each function. */
  readonly functions: ReadonlyArray<{ readonly name: string; readonly atMost: number }>
  readonly quant: QuantSources | undefined
  readonly memoryMb: number
  readonly limits: typeof scriptLimits
}

/** A message from a sandbox thread. Texts of the script are JSON, or are shown only to the script's author. */
export type ThreadMessage =
  /** The script begins; the preparation of the thread is complete. */
  | { readonly _tag: "Began" }
  | { readonly _tag: "Asked"; readonly id: number; readonly name: string; readonly args: string }
  | { readonly _tag: "Logged"; readonly line: string }
  | { readonly _tag: "Ended"; readonly value: string }
  /** The script failed. `callId` is the call whose failure the script did not catch, or null. */
  | { readonly _tag: "Failed"; readonly fault: ScriptFault; readonly callId: number | null }

/** The result of a call that a thread has requested. The text is the JSON of a `Reply`. */
export interface CallResult {
  readonly id: number
  readonly text: string
}

/** The reply to a call of a script's function, which is sent as JSON. */
export type Reply =
  | { readonly value: unknown }
  | { readonly error: { readonly message: string; readonly code?: string | undefined; readonly id: number | null } }
