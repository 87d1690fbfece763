import type { ModelPart } from "@tapeline/core/agent"

/** Reads the events of one answer from an OpenAI API. If the reader throws an error, the answer ends with the error. */
export interface AnswerReader {
  readonly read: (event: unknown) => ReadonlyArray<ModelPart>
  /** Whether the model has ended its answer. The token usage may still arrive later. */
  readonly isFinished: boolean
  /** The number of UTF-16 units that the model has written so far. */
  readonly units: number
  /**
   * Returns the parts that remain after the last event, or null if the answer broke off. `isTruncated` is true if the
   * client stopped an answer that exceeds its token limit.
   */
  readonly end: (isTruncated: boolean) => ReadonlyArray<ModelPart> | null
}

/** Converts a text to a list with one part, or to an empty list if the text is empty. */
export const toTextParts = (_tag: "Text" | "Reasoning", text: string): ReadonlyArray<ModelPart> =>
  text === "" ? [] : [{ _tag, text }]
