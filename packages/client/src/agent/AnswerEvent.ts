import type { MessageBody } from "@tapeline/api"
import type { EventKind, GenerationEvent } from "@tapeline/core/specifications"

/** A message of a conversation. */
export type Message = typeof MessageBody.Type

/** An event as the service sends it; `n` counts from 1 and without gaps within the answer. */
export type SentEvent = {
  readonly [Kind in EventKind]: Extract<GenerationEvent, { readonly kind: Kind }> & {
    /** `<generation>-<n>`, by which the stream is resumed after it. */
    readonly id: string
    readonly n: number
  }
}[EventKind]

/**
 * Of the client itself, and last: the answer ended while the connection was away, and this is what its conversation
 * keeps of it, whole. The events between are not sent any more.
 */
export interface StoredEvent {
  readonly kind: "stored"
  readonly data: { readonly conversation_id: number; readonly message: Message }
  readonly id?: undefined
  readonly n?: undefined
}

/** What a stream of an answer gives. A service that is newer than this client may send kinds that stand in no type. */
export type AnswerEvent = SentEvent | StoredEvent

/** What the answer's text is after an event: cut back to the event's offset, and added to. */
export const textAfter = (text: string, event: AnswerEvent): string => {
  if (event.kind === "stored") return event.data.message.content
  if (event.kind !== "delta") return text
  const { offset, text: added } = event.data
  return (offset < text.length ? text.slice(0, offset) : text) + added
}
