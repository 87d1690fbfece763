import type {
  AccountUsageBody,
  ChangeKey,
  EndedBody,
  IssuedKeyBody,
  IssueKey,
  KeyBody,
  KeyList,
  RotatedKeyBody,
  RotateKey,
  SessionList,
  SignedInBody,
  SignInMethodsBody
} from "@tapeline/api"
import { isClientError } from "./errors.ts"
import type { CallOptions } from "./settings.ts"
import {
  type ClientRequest,
  type Connection,
  defaultRetryPolicy,
  type RetryPolicy,
  withQuery
} from "./transport/Connection.ts"
import { RetryableFailure } from "./transport/retries.ts"

/** The signed-in account, with plan and session. */
export type SignedIn = typeof SignedInBody.Type
/** An API key without the secret text. */
export type Key = typeof KeyBody.Type
/** A newly issued API key with the secret text. */
export type IssuedKey = typeof IssuedKeyBody.Type
/** The successor of a rotated API key with the secret text, and the time at which the old key stops working. */
export type RotatedKey = typeof RotatedKeyBody.Type
/** An account's usage of one month, by day, by tool and by key. */
export type AccountUsage = typeof AccountUsageBody.Type
export type AccountKeys = typeof KeyList.Type
export type AccountSessions = typeof SessionList.Type

export type { SignInFailure } from "@tapeline/api"
/** The sign-in methods of the service. */
export type SignInWays = typeof SignInMethodsBody.Type

/** A page of a list: at most `limit` items after `cursor`, the `next_cursor` of the previous page. */
export interface ListPage {
  readonly cursor?: number | undefined
  readonly limit?: number | undefined
}

/**
 * The client's methods for the signed-in user's account. Most account methods need a browser session and fail with an
 * API key.
 */
export interface AccountMethods {
  /** Signs in once with the text of a single-use sign-in link, without retries. */
  readonly signIn: (link: string, options?: CallOptions) => Promise<SignedIn>
  /** Returns the sign-in methods of the service; the caller needs no session. */
  readonly signInWays: (options?: CallOptions) => Promise<SignInWays>
  readonly signOut: (options?: CallOptions) => Promise<void>
  /** Returns the signed-in account; fails with `SessionRequired` without a session. */
  readonly read: (options?: CallOptions) => Promise<SignedIn>
  /** Returns the account's usage of a month (YYYY-MM) by day, by tool and by key; by default of the current month. */
  readonly usage: (query?: { readonly month?: string | undefined }, options?: CallOptions) => Promise<AccountUsage>
  /** Returns the account's API keys, including revoked keys, oldest first. */
  readonly keys: (page?: ListPage, options?: CallOptions) => Promise<AccountKeys>
  /**
   * Issues an API key without retries: if the response is lost, the key exists, but the key's secret text is unknown.
   */
  readonly issueKey: (key: typeof IssueKey.Encoded, options?: CallOptions) => Promise<IssuedKey>
  readonly changeKey: (id: number, change: typeof ChangeKey.Encoded, options?: CallOptions) => Promise<Key>
  /**
   * Issues a successor of an API key, with the same name, scopes and limits, without retries. The old key stays valid
   * for `overlap_seconds`.
   */
  readonly rotateKey: (
    id: number,
    rotation?: typeof RotateKey.Encoded,
    options?: CallOptions
  ) => Promise<RotatedKey>
  readonly revokeKey: (id: number, options?: CallOptions) => Promise<void>
  /** Returns the account's sessions, including ended sessions, oldest first. */
  readonly sessions: (page?: ListPage, options?: CallOptions) => Promise<AccountSessions>
  readonly endSession: (id: number, options?: CallOptions) => Promise<void>
  /** Ends all other sessions of the account; `tasks: "pause"` also pauses the tasks that were created in a session. */
  readonly endOtherSessions: (
    ended?: { readonly tasks?: "keep" | "pause" | undefined },
    options?: CallOptions
  ) => Promise<typeof EndedBody.Type>
  /**
   * Returns the complete export of the account's data as JSON Lines. Fails with `SignInAgain` if the user signed in
   * more than ten minutes ago.
   */
  readonly exportData: (options?: CallOptions) => Promise<Uint8Array<ArrayBuffer>>
}

/** An export of a large account takes minutes. */
const exportRetryPolicy: RetryPolicy = { timeoutMs: 1_800_000, attemptTimeoutMs: 900_000 }

/**
 * Returns whether the last line of an export arrived. The function assumes that the last line has fewer than 10,000
 * bytes.
 */
const isCompleteExport = (bytes: Uint8Array): boolean => {
  const lines = new TextDecoder().decode(bytes.subarray(-10_000)).split("\n")
  return lines.at(-1) === "" && lines.at(-2)?.startsWith("{\"kind\":\"end\"") === true
}

const withoutUnsafeRetry: RetryPolicy = { ...defaultRetryPolicy, isNeverRepeated: true }

const accountPath = (path: string, { cursor, limit }: ListPage = {}): string =>
  withQuery(`/v1/account${path}`, { cursor, limit })

const requestWithoutBody = (
  connection: Connection,
  request: ClientRequest,
  isAlreadyDone: (tag: string) => boolean = () => false
): Promise<void> =>
  connection.request(request, defaultRetryPolicy, async () => undefined, (error, { number }) => {
    // A retry is rejected if an earlier try already made the change but the response was lost, so the rejection is a
    // success.
    if (number > 1 && isClientError(error) && isAlreadyDone(error._tag)) return undefined
    throw error
  })

export const makeAccountMethods = (connection: Connection): AccountMethods => ({
  signIn: (link, options) =>
    connection.json({
      method: "POST",
      path: accountPath("/sign-in"),
      body: JSON.stringify({ link }),
      options: { max_wait_ms: 1, ...options }
    }, withoutUnsafeRetry),
  signInWays: (options) => connection.json({ method: "GET", path: accountPath("/ways"), options }),
  signOut: (options) =>
    requestWithoutBody(
      connection,
      { method: "POST", path: accountPath("/sign-out"), options },
      (tag) => tag === "SessionRequired"
    ),
  read: (options) => connection.json({ method: "GET", path: accountPath(""), options }),
  usage: ({ month } = {}, options) =>
    connection.json({ method: "GET", path: withQuery("/v1/account/usage", { month }), options }),
  keys: (page, options) => connection.json({ method: "GET", path: accountPath("/keys", page), options }),
  issueKey: (key, options) =>
    connection.json(
      { method: "POST", path: accountPath("/keys"), body: JSON.stringify(key), options },
      withoutUnsafeRetry
    ),
  changeKey: (id, change, options) =>
    connection.json({ method: "PATCH", path: accountPath(`/keys/${id}`), body: JSON.stringify(change), options }),
  rotateKey: (id, rotation = {}, options) =>
    connection.json(
      { method: "POST", path: accountPath(`/keys/${id}/rotate`), body: JSON.stringify(rotation), options },
      withoutUnsafeRetry
    ),
  revokeKey: (id, options) =>
    requestWithoutBody(connection, { method: "DELETE", path: accountPath(`/keys/${id}`), options }),
  sessions: (page, options) => connection.json({ method: "GET", path: accountPath("/sessions", page), options }),
  endSession: (id, options) =>
    requestWithoutBody(connection, { method: "DELETE", path: accountPath(`/sessions/${id}`), options }),
  endOtherSessions: (endOptions, options) =>
    connection.json({
      method: "DELETE",
      path: withQuery(accountPath("/sessions"), { tasks: endOptions?.tasks }),
      options
    }),
  exportData: (options) =>
    connection.request(
      { method: "GET", path: accountPath("/export"), options },
      exportRetryPolicy,
      async (response, { abortScope }) => {
        const bytes = await connection.bytes(response, abortScope)
        if (!isCompleteExport(bytes)) throw new RetryableFailure(new Error("the export was truncated"))
        return bytes
      }
    )
})
