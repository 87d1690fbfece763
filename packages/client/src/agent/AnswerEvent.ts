import type { MessageBody } from "@tapeline/api"
import type { EventKind, GenerationEvent } from "@tapeline/core/specifications"

/** A message of a conversation with the analyst. */
export type Message = typeof MessageBody.Type

/** An event of an answer, as the service sends it. `n` numbers the events of an answer from 1 without gaps. */
export type StreamedEvent = {
  readonly [Kind in EventKind]: Extract<GenerationEvent, { readonly kind: Kind }> & {
    /** The id of an answer event, written `<generation>-<n>`, after which a client can resume the stream. */
    readonly id: string
    readonly n: number
  }
}[EventKind]

/**
 * An event that contains the complete stored answer. If an answer ended while the client was disconnected, and its
 * events were deleted, the client creates a `stored` event.
 */
export interface StoredEvent {
  readonly kind: "stored"
  readonly data: { readonly conversation_id: number; readonly message: Message }
  readonly id?: undefined
  readonly n?: undefined
}

/** An event of an answer stream; a newer service may send kinds of events that `AnswerEvent` does not contain. */
export type AnswerEvent = StreamedEvent | StoredEvent

/**
 * Returns an answer's text after an event; an event `delta` cuts the text to the event's offset and appends new text.
 */
export const applyEvent = (text: string, event: AnswerEvent): string => {
  if (event.kind === "stored") return event.data.message.content
  if (event.kind !== "delta") return text
  const { offset, text: added } = event.data
  return (offset < text.length ? text.slice(0, offset) : text) + added
}
