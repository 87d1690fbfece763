import { Schema } from "effect"
import { type ConvertibleToToolFailure, ToolFailure } from "../tool/failure.ts"

/** The error of a change whose record has another version than `CallContext.recordVersion`. */
export class RecordChanged extends Schema.TaggedError<RecordChanged>()("RecordChanged", {})
  implements ConvertibleToToolFailure
{
  override get message(): string {
    return "the record has changed since the change was proposed"
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "outdated", callerMessage: { key: "record_changed" }, retryable: false })
  }
}
