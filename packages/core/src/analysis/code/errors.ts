import { Schema } from "effect"
import type { Message } from "../../engine/messages/dictionary.ts"
import { type ConvertibleToToolFailure, ToolFailure } from "../../engine/tool/failure.ts"

/** The reason why a script failed. */
export const ScriptFault = Schema.Union([
  /**
   * The script threw an error or is not valid JavaScript. `line` is the line number in the script, from 1, or null if
   * unknown.
   */
  Schema.TaggedStruct("Threw", { error: Schema.String, line: Schema.NullOr(Schema.Int) }),
  Schema.TaggedStruct("Memory", { limitMb: Schema.Int }),
  Schema.TaggedStruct("Stack", {}),
  Schema.TaggedStruct("Log", { limitKib: Schema.Int, limitLines: Schema.Int }),
  /** The script's value has no JSON form. */
  Schema.TaggedStruct("Value", { reason: Schema.String }),
  Schema.TaggedStruct("ValueSize", { limitKib: Schema.Int }),
  Schema.TaggedStruct("ValueDepth", { limit: Schema.Int }),
  /** The script reached its time limit of `limitMs` ms. */
  Schema.TaggedStruct("Timeout", { limitMs: Schema.Finite }),
  /** The script waits for a promise that never settles. */
  Schema.TaggedStruct("Stalled", {}),
  /** The script crashed its sandbox. */
  Schema.TaggedStruct("Broke", {})
])
export type ScriptFault = typeof ScriptFault.Type

/** Returns the message that explains a script's fault to its author. */
export const getFaultMessage = (fault: ScriptFault): Message => {
  switch (fault._tag) {
    case "Threw":
      return fault.line === null
        ? { key: "script_threw", params: { error: fault.error } }
        : { key: "script_threw_at", params: { error: fault.error, line: fault.line } }
    case "Memory":
      return { key: "script_memory", params: { mb: fault.limitMb } }
    case "Stack":
      return { key: "script_stack" }
    case "Log":
      return { key: "script_log", params: { kib: fault.limitKib, lines: fault.limitLines } }
    case "Value":
      return { key: "script_value", params: { reason: fault.reason } }
    case "ValueSize":
      return { key: "script_value_size", params: { kib: fault.limitKib } }
    case "ValueDepth":
      return { key: "script_value_depth", params: { limit: fault.limit } }
    case "Timeout":
      return { key: "script_timeout", params: { ms: fault.limitMs } }
    case "Stalled":
      return { key: "script_stalled" }
    case "Broke":
      return { key: "script_broke" }
  }
}

/** The error of a script that failed because of its own code, inputs or resource use. */
export class ScriptError extends Schema.TaggedError<ScriptError>()("ScriptError", { fault: ScriptFault }) {
  override get message(): string {
    return `the script failed: ${this.fault._tag}`
  }
}

/** The error of a script that was not started, because too many scripts are running or waiting. */
export class SandboxBusy extends Schema.TaggedError<SandboxBusy>()("SandboxBusy", {})
  implements ConvertibleToToolFailure
{
  readonly isBusy = true

  override get message(): string {
    return "the script queue is full"
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "source_unavailable", callerMessage: { key: "sandbox_busy" }, retryable: true })
  }
}

/** The error of a script that was stopped before its own time limit because other owners' scripts were waiting. */
export class SandboxCrowded extends Schema.TaggedError<SandboxCrowded>()("SandboxCrowded", { afterMs: Schema.Finite })
  implements ConvertibleToToolFailure
{
  override get message(): string {
    return `other scripts were waiting, so the script was stopped after ${this.afterMs} ms`
  }

  get toolFailure(): ToolFailure {
    const callerMessage = { key: "sandbox_crowded", params: { ms: this.afterMs } } as const
    return new ToolFailure({ code: "timeout", callerMessage, retryable: true })
  }
}

/**
 * The error of a script that was not started, because its owner has used the permitted script time of the last minute
 * and no slot is free.
 */
export class SandboxBudget extends Schema.TaggedError<SandboxBudget>()("SandboxBudget", {})
  implements ConvertibleToToolFailure
{
  override get message(): string {
    return "the account has used its script time of this minute"
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "cpu_budget", callerMessage: { key: "sandbox_budget" }, retryable: true })
  }
}

/** The error of a sandbox that cannot start scripts or has been shut down. */
export class SandboxUnavailable extends Schema.TaggedError<SandboxUnavailable>()("SandboxUnavailable", {
  cause: Schema.Defect()
}) implements ConvertibleToToolFailure {
  override get message(): string {
    const { cause } = this
    return `the sandbox cannot run scripts: ${cause instanceof Error ? cause.message : String(cause)}`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "source_unavailable", callerMessage: { key: "sandbox_away" }, retryable: true })
  }
}

/** The error of an engine without a sandbox. */
export class NoSandbox extends Schema.TaggedError<NoSandbox>()("NoSandbox", {}) implements ConvertibleToToolFailure {
  override get message(): string {
    return "this engine has no CodeSandbox: provide one, such as layerSandbox of @tapeline/sandbox"
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "source_unavailable", callerMessage: { key: "sandbox_none" }, retryable: false })
  }
}

/** The errors of a script run. */
export type SandboxError = ScriptError | SandboxBudget | SandboxBusy | SandboxCrowded | SandboxUnavailable | NoSandbox
