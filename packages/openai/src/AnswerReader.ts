import type { ModelPart } from "@tapeline/core/agent"

/** Reads the events of one answer of an OpenAI API; an error that the reader throws ends the answer. */
export interface AnswerReader {
  readonly read: (event: unknown) => ReadonlyArray<ModelPart>
  /** Whether the model has ended its answer, although the token usage may still follow. */
  readonly isFinished: boolean
  /** The number of UTF-16 units that the model has written so far. */
  readonly units: number
  /** Returns the parts after the last event or after a truncation (`isTruncated`), or null if the answer broke off. */
  readonly end: (isTruncated: boolean) => ReadonlyArray<ModelPart> | null
}

/** Makes a part from a text, or no part from an empty text. */
export const toTextParts = (_tag: "Text" | "Reasoning", text: string): ReadonlyArray<ModelPart> =>
  text === "" ? [] : [{ _tag, text }]
