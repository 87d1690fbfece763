import type {
  AccountBody,
  AccountCallBody,
  AccountCallList,
  AccountList,
  AdjustCredits,
  AdjustedCreditsBody,
  AdjustmentBody,
  AdjustmentList,
  AdminTaskBody,
  AdminTaskList,
  ChangeAccount,
  EventBody,
  EventList,
  KeyBody,
  KeyList,
  RevokedBody,
  RunningAnswerBody,
  RunningAnswerList,
  UsageLineBody,
  UsageReportBody
} from "@tapeline/api"
import type { ListPage } from "./account.ts"
import { newIdempotencyKey } from "./idempotencyKey.ts"
import { systemPlatform } from "./platform.ts"
import { type CallOptions, type ChargedOptions, type ClientSettings, validateSettings } from "./settings.ts"
import { Connection, defaultRetryPolicy, withQuery } from "./transport/Connection.ts"

/** An account in responses of the admin API. */
export type AdminAccount = typeof AccountBody.Type
/** An API key of an account, without the secret text. */
export type AdminKey = typeof KeyBody.Type
/** A recorded administrative or security-relevant event. */
export type AdminEvent = typeof EventBody.Type
export type RunningAnswer = typeof RunningAnswerBody.Type
export type AdminTask = typeof AdminTaskBody.Type
export type UsageLine = typeof UsageLineBody.Type
export type UsageReport = typeof UsageReportBody.Type
export type Adjustment = typeof AdjustmentBody.Type
/** A page of adjustments, and the credits of a month. */
export type AdjustmentPage = typeof AdjustmentList.Type
export type AdjustedCredits = typeof AdjustedCreditsBody.Type
/** A grant, a refund or a correction of credits. */
export type NewAdjustment = typeof AdjustCredits.Encoded
/** A call of an account that reserved credits. */
export type AccountCall = typeof AccountCallBody.Type
export type AccountChange = typeof ChangeAccount.Encoded

/** Selects the events of a list; an omitted field selects all events. */
export interface EventFilter extends ListPage {
  readonly account?: number | undefined
  readonly type?: string | undefined
  /** The earliest time of an event, as ISO 8601 in UTC. */
  readonly since?: string | undefined
  /** The time before which events are returned, as ISO 8601 in UTC. */
  readonly until?: string | undefined
  /** The order of the events: the oldest event first by default. */
  readonly order?: "oldest" | "newest" | undefined
}

/** Selects the usage of a report and its grouping. */
export interface UsageQuery {
  /** A month as YYYY-MM; by default the current month. */
  readonly month?: string | undefined
  readonly account?: number | undefined
  readonly operation?: string | undefined
  /** Dimensions, separated by commas, such as `account,day`. */
  readonly group_by?: string | undefined
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
}

/**
 * The client of the admin API. Each change is sent with an idempotency key, so a retry after a lost response changes
 * nothing a second time.
 */
export interface AdminClient {
  readonly accounts: (
    query?: ListPage & { readonly external_id?: string | undefined },
    options?: CallOptions
  ) => Promise<typeof AccountList.Type>
  readonly account: (id: number, options?: CallOptions) => Promise<AdminAccount>
  readonly changeAccount: (id: number, change: AccountChange, options?: ChargedOptions) => Promise<AdminAccount>
  /** Revokes all keys of an account, and ends all its sessions. */
  readonly revokeAll: (id: number, options?: ChargedOptions) => Promise<typeof RevokedBody.Type>
  /** Returns the keys of an account, including revoked keys, oldest first. */
  readonly keys: (account: number, page?: ListPage, options?: CallOptions) => Promise<typeof KeyList.Type>
  readonly revokeKey: (id: number, options?: ChargedOptions) => Promise<void>
  /** Returns the running answers of an account, oldest first, at most 100. */
  readonly answers: (account: number, options?: CallOptions) => Promise<typeof RunningAnswerList.Type>
  /** Ends a running answer without a charge. The account's user sees the reason. */
  readonly stopAnswer: (
    id: number,
    stop: { readonly reason?: string },
    options?: ChargedOptions
  ) => Promise<RunningAnswer>
  readonly tasks: (account: number, options?: CallOptions) => Promise<typeof AdminTaskList.Type>
  /** Pauses a task and stops its running answer. The account's user sees the reason. */
  readonly pauseTask: (
    account: number,
    task: number,
    pause: { readonly reason?: string },
    options?: ChargedOptions
  ) => Promise<AdminTask>
  /** Returns the adjustments of an account, oldest first: of a month (YYYY-MM), or of all months. */
  readonly adjustments: (
    account: number,
    query?: ListPage & { readonly month?: string | undefined },
    options?: CallOptions
  ) => Promise<AdjustmentPage>
  /** Grants, refunds or corrects credits of an account. */
  readonly adjustCredits: (
    account: number,
    adjustment: NewAdjustment,
    options?: ChargedOptions
  ) => Promise<AdjustedCredits>
  /** Returns the calls that reserved credits in a month (YYYY-MM), by default in the current one, largest id first. */
  readonly calls: (
    account: number,
    query?: ListPage & { readonly month?: string | undefined },
    options?: CallOptions
  ) => Promise<typeof AccountCallList.Type>
  /** Returns a page of a usage report. */
  readonly usage: (query?: UsageQuery, options?: CallOptions) => Promise<UsageReport>
  /** Returns a complete usage report as comma-separated values. */
  readonly usageCsv: (query?: UsageQuery, options?: CallOptions) => Promise<string>
  /** Returns a page of recorded events. */
  readonly events: (filter?: EventFilter, options?: CallOptions) => Promise<typeof EventList.Type>
  /** Returns the metrics of the process in the text format of Prometheus. */
  readonly metrics: (options?: CallOptions) => Promise<string>
}

/** The settings of an admin client, with the admin token in place of an API key. */
export interface AdminClientSettings extends Pick<ClientSettings, "url" | "lang" | "timeout_ms" | "fetch"> {
  readonly token: string
}

/** Creates a client of the admin API of a Tapeline service. The client keeps no connection open. */
export const createAdminClient = ({ token, ...settings }: AdminClientSettings): AdminClient => {
  const connection = new Connection(validateSettings({ ...settings, key: token }), systemPlatform)
  const get = <A>(
    path: string,
    query: Readonly<Record<string, string | number | undefined>>,
    options: CallOptions | undefined
  ): Promise<A> => connection.json({ method: "GET", path: withQuery(path, query), options })
  const getText = (path: string, accept: string, options: CallOptions | undefined): Promise<string> =>
    connection.request(
      { method: "GET", path, headers: { accept: `${accept}, application/problem+json` }, options },
      defaultRetryPolicy,
      (response, { abortScope }) => connection.text(response, abortScope)
    )
  const changeRequest = (
    method: "POST" | "PATCH" | "DELETE",
    path: string,
    body: object | undefined,
    options: ChargedOptions = {}
  ) => ({
    method,
    path: `/admin/v1${path}`,
    // The idempotency key is created before the first try, so that a retry changes nothing a second time.
    headers: { "idempotency-key": options.idempotency_key ?? newIdempotencyKey() },
    body: body === undefined ? undefined : JSON.stringify(body),
    options
  })
  return {
    accounts: (query = {}, options) => get("/admin/v1/accounts", { ...query }, options),
    account: (id, options) => get(`/admin/v1/accounts/${id}`, {}, options),
    changeAccount: (id, change, options) => connection.json(changeRequest("PATCH", `/accounts/${id}`, change, options)),
    revokeAll: (id, options) =>
      connection.json(changeRequest("POST", `/accounts/${id}/revoke-all`, undefined, options)),
    keys: (account, page = {}, options) => get(`/admin/v1/accounts/${account}/keys`, { ...page }, options),
    revokeKey: (id, options) =>
      connection.request(
        changeRequest("DELETE", `/keys/${id}`, undefined, options),
        defaultRetryPolicy,
        async () => undefined
      ),
    answers: (account, options) => get(`/admin/v1/accounts/${account}/answers`, {}, options),
    stopAnswer: (id, stop, options) => connection.json(changeRequest("POST", `/answers/${id}/stop`, stop, options)),
    tasks: (account, options) => get(`/admin/v1/accounts/${account}/tasks`, {}, options),
    pauseTask: (account, task, pause, options) =>
      connection.json(changeRequest("POST", `/accounts/${account}/tasks/${task}/pause`, pause, options)),
    adjustments: (account, query = {}, options) =>
      get(`/admin/v1/accounts/${account}/adjustments`, { ...query }, options),
    adjustCredits: (account, adjustment, options) =>
      connection.json(changeRequest("POST", `/accounts/${account}/adjustments`, adjustment, options)),
    calls: (account, query = {}, options) => get(`/admin/v1/accounts/${account}/calls`, { ...query }, options),
    usage: (query = {}, options) => get("/admin/v1/usage", { ...query, format: "json" }, options),
    usageCsv: (query = {}, options) =>
      getText(withQuery("/admin/v1/usage", { ...query, format: "csv" }), "text/csv", options),
    events: (filter = {}, options) => get("/admin/v1/events", { ...filter }, options),
    metrics: (options) => getText("/metrics", "text/plain", options)
  }
}
