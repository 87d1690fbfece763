import type { ModelPart } from "@tapeline/core/agent"

/**
 * Reads the events of one answer, in either API. An error that it throws ends the answer. Errors of the port are passed
 * on unchanged.
 */
export interface AnswerReader {
  readonly read: (event: unknown) => ReadonlyArray<ModelPart>
  /** Whether the model has ended its answer. The usage may still follow. */
  readonly isFinished: boolean
  /** UTF-16 units that the model has written so far. */
  readonly units: number
  /**
   * Returns the last parts when no event follows, or when no more are wanted (`cut`). Returns null if the answer broke
   * off.
   */
  readonly end: (isTruncated: boolean) => ReadonlyArray<ModelPart> | null
}

/** Makes a part of a text; an empty text makes no part. */
export const toTextParts = (_tag: "Text" | "Reasoning", text: string): ReadonlyArray<ModelPart> =>
  text === "" ? [] : [{ _tag, text }]
