/** The messages of Bluesky's Jetstream. */
import { Schema } from "effect"

/** Microseconds since 1970. The range excludes milliseconds and seconds. */
const Microseconds = Schema.Int.check(
  Schema.isBetween({ minimum: 1_230_768_000_000_000, maximum: 4_133_980_800_000_000 })
)
/** The account that owns the repository. Longer identifiers do not occur. */
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
    // The content is foreign text, so `readPostRecord` reads it separately.
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

/** Identities, and kinds that may be added later. */
const Other = Schema.Struct({ did: Did, time_us: Microseconds, kind: Schema.String })

const decoders = {
  commit: Schema.decodeUnknownResult(Commit),
  account: Schema.decodeUnknownResult(Account),
  other: Schema.decodeUnknownResult(Other)
}

/** A message, with the time at which the server received it, in microseconds of its clock. */
export type BlueskyMessage =
  | {
    readonly _tag: "post"
    readonly timeUs: number
    readonly did: string
    readonly id: string
    readonly record: unknown
    /** Whether the post existed before with another text. */
    readonly isEdited: boolean
  }
  /** A removed post or, if the id ends with `/`, all posts of an account. */
  | { readonly _tag: "gone"; readonly timeUs: number; readonly id: string }
  | { readonly _tag: "other"; readonly timeUs: number }

/** The id of a post, and the prefix of all ids of an account. */
const postUri = (did: string, rkey: string): string => `at://${did}/${postCollection}/${rkey}`
const accountUriPrefix = (did: string): string => `at://${did}/`

/** The states of an account whose posts must not be shown. Other states are temporary problems of the network. */
const hiddenStatuses = new Set(["deactivated", "deleted", "suspended", "takendown"])

const kindOf = (message: unknown): unknown =>
  typeof message === "object" && message !== null && "kind" in message ? message.kind : undefined

/** Reads a message; undefined if it is unreadable. */
export const readMessage = (payload: unknown): BlueskyMessage | undefined => {
  switch (kindOf(payload)) {
    case "commit": {
      const read = decoders.commit(payload)
      if (read._tag === "Failure") return undefined
      const { commit: { collection, operation, record, rkey }, did, time_us: timeUs } = read.success
      if (collection !== postCollection) return { _tag: "other", timeUs }
      const id = postUri(did, rkey)
      if (operation === "delete") return { _tag: "gone", timeUs, id }
      return { _tag: "post", timeUs, did, id, record, isEdited: operation === "update" }
    }
    case "account": {
      const read = decoders.account(payload)
      if (read._tag === "Failure") return undefined
      const { account: { active, status }, did, time_us: timeUs } = read.success
      return !active && hiddenStatuses.has(status ?? "")
        ? { _tag: "gone", timeUs, id: accountUriPrefix(did) }
        : { _tag: "other", timeUs }
    }
    default: {
      const read = decoders.other(payload)
      return read._tag === "Failure" ? undefined : { _tag: "other", timeUs: read.success.time_us }
    }
  }
}

/** The fields of a post's record that are used. Invalid fields are empty or null. */
export interface PostRecord {
  readonly text: string
  readonly tags: ReadonlyArray<string>
  /** The languages that the author's program set, without regions. */
  readonly languages: ReadonlyArray<string>
  /** The creation time that the author's program set. */
  readonly createdAt: number | null
}

const maxLengths = { text: 3_000, tags: 10, languages: 5 } as const

const textsIn = (value: unknown, count: number): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string").slice(0, count) : []

/** Reads a record; undefined without a text. */
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
