import type { MessageBody } from "@tapeline/api"
import type { EventKind, GenerationEvent } from "@tapeline/core/specifications"

/** A message of a conversation. */
export type Message = typeof MessageBody.Type

/** An event of an answer, as the service sends it. `n` counts the events of the answer from 1 without gaps. */
export type StreamedEvent = {
  readonly [Kind in EventKind]: Extract<GenerationEvent, { readonly kind: Kind }> & {
    /** The id of the event, written `<generation>-<n>`, after which a client can resume the stream. */
    readonly id: string
    readonly n: number
  }
}[EventKind]

/**
 * The client's own last event of an answer that ended while the connection was lost. The stored event contains the
 * complete answer; the missed events are no longer available.
 */
export interface StoredEvent {
  readonly kind: "stored"
  readonly data: { readonly conversation_id: number; readonly message: Message }
  readonly id?: undefined
  readonly n?: undefined
}

/** An event of an answer stream. A newer service may send kinds of events that `AnswerEvent` does not contain. */
export type AnswerEvent = StreamedEvent | StoredEvent

/**
 * Returns the text of an answer after an event. An event `delta` cuts the answer's text to the event's offset and
 * appends the event's text.
 */
export const applyEvent = (text: string, event: AnswerEvent): string => {
  if (event.kind === "stored") return event.data.message.content
  if (event.kind !== "delta") return text
  const { offset, text: added } = event.data
  return (offset < text.length ? text.slice(0, offset) : text) + added
}
