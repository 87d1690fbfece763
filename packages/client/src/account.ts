import type {
  AccountUsageBody,
  ChangeKey,
  EndedBody,
  IssuedKeyBody,
  IssueKey,
  KeyBody,
  KeyList,
  SessionList,
  SignedInBody,
  SignInWaysBody
} from "@tapeline/api"
import { isClientError } from "./errors.ts"
import type { CallOptions } from "./settings.ts"
import { type Asked, callPatience, type Connection, type Patience, withQuery } from "./transport/Connection.ts"

/** The account, and the session that speaks for it. */
export type SignedIn = typeof SignedInBody.Type
/** A key as it is kept. */
export type Key = typeof KeyBody.Type
/** A key as it is issued, with its text. */
export type IssuedKey = typeof IssuedKeyBody.Type
/** A month's usage by day, by tool and by key. */
export type AccountUsage = typeof AccountUsageBody.Type
export type AccountKeys = typeof KeyList.Type
export type AccountSessions = typeof SessionList.Type

export type { RefusedSignIn } from "@tapeline/api"
/** The ways to sign in. */
export type SignInWays = typeof SignInWaysBody.Type

/** A part of a list: what comes after `cursor`, the `next_cursor` of the part before, up to `limit` of it. */
export interface ListPage {
  readonly cursor?: number | undefined
  readonly limit?: number | undefined
}

/** What is the account's own, in a page of the service whose user signs in: no key opens it. */
export interface AccountMethods {
  /**
   * Signs in by the text of a link, which is used up: it is asked once, and how long to wait after too many attempts is
   * told at once.
   */
  readonly signIn: (link: string, options?: CallOptions) => Promise<SignedIn>
  /** How people sign in; anybody may ask. */
  readonly ways: (options?: CallOptions) => Promise<SignInWays>
  readonly signOut: (options?: CallOptions) => Promise<void>
  /** Who is signed in; fails with `SessionRequired` where nobody is. */
  readonly read: (options?: CallOptions) => Promise<SignedIn>
  /** What a month has cost by day, by tool and by key; `month` is YYYY-MM, and left out the one that runs. */
  readonly usage: (query?: { readonly month?: string | undefined }, options?: CallOptions) => Promise<AccountUsage>
  /** Keys, revoked ones too, oldest first. */
  readonly keys: (page?: ListPage, options?: CallOptions) => Promise<AccountKeys>
  /** Issues a key, whose text is in this answer alone. It is asked once: a lost answer leaves a key that nobody has. */
  readonly issueKey: (key: typeof IssueKey.Encoded, options?: CallOptions) => Promise<IssuedKey>
  readonly changeKey: (id: number, change: typeof ChangeKey.Encoded, options?: CallOptions) => Promise<Key>
  readonly revokeKey: (id: number, options?: CallOptions) => Promise<void>
  /** Sessions, with those that are over, oldest first. */
  readonly sessions: (page?: ListPage, options?: CallOptions) => Promise<AccountSessions>
  readonly endSession: (id: number, options?: CallOptions) => Promise<void>
  /** Ends all sessions but the page's own. With `pause` it also pauses the tasks that were created in a session. */
  readonly endOtherSessions: (
    also?: { readonly tasks?: "keep" | "pause" | undefined },
    options?: CallOptions
  ) => Promise<typeof EndedBody.Type>
}

/** What may not be done twice. */
const once: Patience = { ...callPatience, isOnce: true }

const at = (path: string, { cursor, limit }: ListPage = {}): string =>
  withQuery(`/v1/account${path}`, { cursor, limit })

/** A request that is answered with nothing. */
const done = (connection: Connection, asked: Asked, isDone: (tag: string) => boolean = () => false): Promise<void> =>
  connection.request(asked, callPatience, async () => undefined, (error, { number }) => {
    // An earlier try did it, and its answer was lost.
    if (number > 1 && isClientError(error) && isDone(error._tag)) return undefined
    throw error
  })

export const accountOf = (connection: Connection): AccountMethods => ({
  signIn: (link, options) =>
    connection.json({
      method: "POST",
      path: at("/sign-in"),
      body: JSON.stringify({ link }),
      options: { longest_wait_ms: 1, ...options }
    }, once),
  ways: (options) => connection.json({ method: "GET", path: at("/ways"), options }),
  signOut: (options) =>
    done(connection, { method: "POST", path: at("/sign-out"), options }, (tag) => tag === "SessionRequired"),
  read: (options) => connection.json({ method: "GET", path: at(""), options }),
  usage: ({ month } = {}, options) =>
    connection.json({ method: "GET", path: withQuery("/v1/account/usage", { month }), options }),
  keys: (page, options) => connection.json({ method: "GET", path: at("/keys", page), options }),
  issueKey: (key, options) =>
    connection.json({ method: "POST", path: at("/keys"), body: JSON.stringify(key), options }, once),
  changeKey: (id, change, options) =>
    connection.json({ method: "PATCH", path: at(`/keys/${id}`), body: JSON.stringify(change), options }),
  revokeKey: (id, options) => done(connection, { method: "DELETE", path: at(`/keys/${id}`), options }),
  sessions: (page, options) => connection.json({ method: "GET", path: at("/sessions", page), options }),
  endSession: (id, options) => done(connection, { method: "DELETE", path: at(`/sessions/${id}`), options }),
  endOtherSessions: (also, options) =>
    connection.json({ method: "DELETE", path: withQuery(at("/sessions"), { tasks: also?.tasks }), options })
})
