import type { ScriptFault, scriptLimits } from "@tapeline/core/analysis"
import type { CompiledModule } from "./webAssembly.ts"

/** The sources of `@tapeline/quant`, by the names with which the modules import each other. */
export interface QuantSources {
  readonly entry: string
  readonly sources: ReadonlyMap<string, string>
}

export interface WorkerData {
  readonly engine: CompiledModule
  readonly code: string
  /** The inputs of the script as JSON text. */
  readonly inputs: string
  /** The functions that the script can call. A script can call each function at most `atMost` times. */
  readonly functions: ReadonlyArray<{ readonly name: string; readonly atMost: number }>
  readonly quant: QuantSources | undefined
  readonly memoryMb: number
  readonly limits: typeof scriptLimits
}

/** A message from a sandbox thread. Values of the script are transferred as JSON text. */
export type ThreadMessage =
  | { readonly _tag: "Began" }
  | { readonly _tag: "Asked"; readonly id: number; readonly name: string; readonly args: string }
  | { readonly _tag: "Logged"; readonly line: string }
  | { readonly _tag: "Ended"; readonly value: string }
  /**
   * The script failed. `callId` is the id of a failed call that the script did not catch, or null if the script failed
   * for another reason.
   */
  | { readonly _tag: "Failed"; readonly fault: ScriptFault; readonly callId: number | null }

/** The result of a call that a script made. `text` contains a `Reply` as JSON. */
export interface CallResult {
  readonly id: number
  readonly text: string
}

export type Reply =
  | { readonly value: unknown }
  | { readonly error: { readonly message: string; readonly code?: string | undefined; readonly id: number | null } }
