import type { MessageBody } from "@tapeline/api"
import type { EventKind, GenerationEvent } from "@tapeline/core/specifications"

/** A message of a conversation. */
export type Message = typeof MessageBody.Type

/** An event as the service sends it. `n` counts from 1 without gaps within the answer. */
export type StreamedEvent = {
  readonly [Kind in EventKind]: Extract<GenerationEvent, { readonly kind: Kind }> & {
    /** `<generation>-<n>`. The stream can be resumed after this id. */
    readonly id: string
    readonly n: number
  }
}[EventKind]

/**
 * The last event of a stream whose answer ended while the connection was lost. The client creates it. It contains the
 * complete answer as the conversation stores it; the events in between are no longer available.
 */
export interface StoredEvent {
  readonly kind: "stored"
  readonly data: { readonly conversation_id: number; readonly message: Message }
  readonly id?: undefined
  readonly n?: undefined
}

/** An event of an answer's stream. A newer service may send kinds that this type does not contain. */
export type AnswerEvent = StreamedEvent | StoredEvent

/** Returns the answer's text after an event: cut to the event's offset, then extended. */
export const applyEvent = (text: string, event: AnswerEvent): string => {
  if (event.kind === "stored") return event.data.message.content
  if (event.kind !== "delta") return text
  const { offset, text: added } = event.data
  return (offset < text.length ? text.slice(0, offset) : text) + added
}
