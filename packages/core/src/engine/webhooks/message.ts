import type { RecordedEvent } from "../access/AdminStore.ts"

/** Returns an event in the form in which the admin API and webhooks report it. */
export const toEventBody = ({ requestId, time, ...event }: RecordedEvent) => ({
  ...event,
  time: new Date(time).toISOString(),
  request_id: requestId
})

/** Returns the id and the body of the message that reports an event. All attempts have the same id and body. */
export const toWebhookMessage = (event: RecordedEvent): { readonly id: string; readonly body: string } => {
  const data = toEventBody(event)
  return { id: `evt_${event.id}`, body: JSON.stringify({ type: event.type, timestamp: data.time, data }) }
}
