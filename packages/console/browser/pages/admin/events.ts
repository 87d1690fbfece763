import type { AdminEvent } from "@tapeline/client/admin"

export type EventType = AdminEvent["type"]

/** All types of events. If `AdminEvent` has a type that the table lacks, the console does not compile. */
const typeTable: Readonly<Record<EventType, true>> = {
  "account.created": true,
  "account.updated": true,
  "account.suspended": true,
  "account.reactivated": true,
  "account.closed": true,
  "account.exported": true,
  "account.erasure_requested": true,
  "account.erased": true,
  "access.revoked": true,
  "key.issued": true,
  "key.updated": true,
  "key.revoked": true,
  "key.rotated": true,
  "sign_in_link.created": true,
  "session.started": true,
  "session.ended": true,
  "sessions.ended": true,
  "sign_in.failed": true,
  "admin_token.created": true,
  "admin_token.revoked": true,
  "answer.stopped": true,
  "task.paused": true,
  "credits.adjusted": true,
  "credits.used_80": true,
  "credits.used_100": true,
  "answer.failed": true,
  "task.fired": true,
  "database.backup_started": true,
  "webhook.created": true,
  "webhook.updated": true,
  "webhook.deleted": true,
  "webhook.secret_rotated": true,
  "webhook.test": true,
  "webhook.delivery_retried": true,
  "webhook.disabled": true
}

// The cast is safe because `Object.keys` returns the names of the table.
export const eventTypes = Object.keys(typeTable) as ReadonlyArray<EventType>

/** A changed field of an event, with both values as text. `undefined` represents a field that did not exist. */
export interface EventChange {
  readonly name: string
  readonly before: string | undefined
  readonly after: string | undefined
}

const toText = (value: unknown): string | undefined =>
  value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value)

/** Returns whether a value has no content: null, an empty list or an empty object. */
const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === "object" && Object.keys(value).length === 0)

/**
 * Returns the changed fields of an event, in the order of their names in the event. Omits new fields without content,
 * and fields that are equal before and after the change.
 */
export const listChanges = (
  { after, before }: Pick<AdminEvent, "after" | "before">
): ReadonlyArray<EventChange> => {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return [...names]
    .filter((name) => before?.[name] !== undefined || !isEmpty(after?.[name]))
    .map((name) => ({ name, before: toText(before?.[name]), after: toText(after?.[name]) }))
    .filter(({ after, before }) => before !== after)
}
