import { Schema } from "effect"

/** A time in microseconds since 1970, in a range that rejects times in milliseconds or seconds. */
const Microseconds = Schema.Int.check(
  Schema.isBetween({ minimum: 1_230_768_000_000_000, maximum: 4_133_980_800_000_000 })
)
const Did = Schema.String.check(Schema.isPattern(/^did:[a-z]+:[\w.:%-]{1,200}$/u, { expected: "a DID" }))
const RecordKey = Schema.String.check(Schema.isPattern(/^[\w.~:-]{1,100}$/u, { expected: "a record key" }))

const postCollection = "app.bsky.feed.post"

const Commit = Schema.Struct({
  did: Did,
  time_us: Microseconds,
  kind: Schema.Literal("commit"),
  commit: Schema.Struct({
    operation: Schema.Literals(["create", "update", "delete"]),
    collection: Schema.String,
    rkey: RecordKey,
    // The content of a record is untrusted, so `readPostRecord` parses the record separately.
    record: Schema.optionalKey(Schema.Unknown)
  })
})

const Account = Schema.Struct({
  did: Did,
  time_us: Microseconds,
  kind: Schema.Literal("account"),
  account: Schema.Struct({
    active: Schema.Boolean,
    status: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
})

const Other = Schema.Struct({ did: Did, time_us: Microseconds, kind: Schema.String })

const decoders = {
  commit: Schema.decodeUnknownResult(Commit),
  account: Schema.decodeUnknownResult(Account),
  other: Schema.decodeUnknownResult(Other)
}

/** A message of the Bluesky stream, with the time at which the server received the message, in microseconds. */
export type BlueskyMessage =
  | {
    readonly _tag: "post"
    readonly timeUs: number
    readonly did: string
    readonly id: string
    readonly record: unknown
    readonly isEdited: boolean
  }
  /** A removed post, or all posts of an account if the ID ends with `/`. */
  | { readonly _tag: "removed"; readonly timeUs: number; readonly id: string }
  | { readonly _tag: "other"; readonly timeUs: number }

const postUri = (did: string, rkey: string): string => `at://${did}/${postCollection}/${rkey}`
const accountUriPrefix = (did: string): string => `at://${did}/`

/**
 * The inactive account states in which an account's posts must not be shown. All other inactive states are temporary
 * and hide no posts.
 */
const hiddenStatuses = new Set(["deactivated", "deleted", "suspended", "takendown"])

const kindOf = (message: unknown): unknown =>
  typeof message === "object" && message !== null && "kind" in message ? message.kind : undefined

/** Decodes a message of the Bluesky stream, or returns undefined if the message is unreadable. */
export const readMessage = (payload: unknown): BlueskyMessage | undefined => {
  switch (kindOf(payload)) {
    case "commit": {
      const read = decoders.commit(payload)
      if (read._tag === "Failure") return undefined
      const { commit: { collection, operation, record, rkey }, did, time_us: timeUs } = read.success
      if (collection !== postCollection) return { _tag: "other", timeUs }
      const id = postUri(did, rkey)
      if (operation === "delete") return { _tag: "removed", timeUs, id }
      return { _tag: "post", timeUs, did, id, record, isEdited: operation === "update" }
    }
    case "account": {
      const read = decoders.account(payload)
      if (read._tag === "Failure") return undefined
      const { account: { active, status }, did, time_us: timeUs } = read.success
      return !active && hiddenStatuses.has(status ?? "")
        ? { _tag: "removed", timeUs, id: accountUriPrefix(did) }
        : { _tag: "other", timeUs }
    }
    default: {
      const read = decoders.other(payload)
      return read._tag === "Failure" ? undefined : { _tag: "other", timeUs: read.success.time_us }
    }
  }
}

/** The fields of a post's record that Tapeline uses. Invalid fields are empty or null. */
export interface PostRecord {
  readonly text: string
  readonly tags: ReadonlyArray<string>
  /** The post's languages as declared by the author's app, without regions. */
  readonly languages: ReadonlyArray<string>
  /** The post's creation time as declared by the author's app, or null if the time is invalid. */
  readonly createdAt: number | null
}

const maxLengths = { text: 3_000, tags: 10, languages: 5 } as const

const textsIn = (value: unknown, count: number): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string").slice(0, count) : []

/** Parses the record of a post, or returns undefined if the record has no text. */
export const readPostRecord = (record: unknown): PostRecord | undefined => {
  if (typeof record !== "object" || record === null || !("text" in record) || typeof record.text !== "string") {
    return undefined
  }
  const createdAt = "createdAt" in record && typeof record.createdAt === "string" ? Date.parse(record.createdAt) : NaN
  const languages = "langs" in record ? textsIn(record.langs, maxLengths.languages) : []
  return {
    text: record.text.slice(0, maxLengths.text),
    tags: "tags" in record ? textsIn(record.tags, maxLengths.tags) : [],
    languages: languages.map((language) => language.toLowerCase().split("-")[0]!),
    createdAt: Number.isFinite(createdAt) ? createdAt : null
  }
}
