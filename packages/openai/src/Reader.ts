import type { ModelPart } from "@tapeline/core/agent"

/** Reads the events of one answer, in either API. What it throws ends the answer: an error of the port as itself. */
export interface Reader {
  readonly read: (event: unknown) => ReadonlyArray<ModelPart>
  /** Whether the model has said that it is done; there may still come what was used. */
  readonly finished: boolean
  /** UTF-16 units of all that the model has written so far. */
  readonly units: number
  /** The last parts, once nothing follows, or nothing more is wanted (`cut`); null when the answer broke off. */
  readonly end: (cut: boolean) => ReadonlyArray<ModelPart> | null
}

/** Words that are empty are no part. */
export const said = (_tag: "Text" | "Reasoning", text: string): ReadonlyArray<ModelPart> =>
  text === "" ? [] : [{ _tag, text }]
