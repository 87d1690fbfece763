import { Option } from "effect"
import { Command, Flag } from "effect/cli"
import {
  account,
  expires,
  idempotencyKey,
  key,
  name,
  pageFlags,
  runAdminCommand,
  scopes,
  toExpiry,
  toHeaders,
  toPage
} from "./common.ts"

/** Parses a limit: a whole number, or `none`. */
const parseLimit = (text: string): Option.Option<{ readonly limit: number | null }> =>
  text === "none"
    ? Option.some({ limit: null })
    : /^\d{1,15}$/.test(text)
    ? Option.some({ limit: Number(text) })
    : Option.none()

const limitFlags = {
  credits: Flag.String("credits").pipe(
    Flag.withDescription("The credits that the key may use per month; `none` removes the limit"),
    Flag.filterMap(parseLimit, () => "a whole number, or none"),
    Flag.optional
  ),
  rpm: Flag.String("rpm").pipe(
    Flag.withDescription("The requests per minute of the key; `none` for the limit of the plan"),
    Flag.filterMap(parseLimit, () => "a whole number, or none"),
    Flag.optional
  ),
  ips: Flag.String("ips").pipe(
    Flag.withDescription("The IP addresses and CIDR ranges of the key, separated by commas; `any` for all addresses"),
    Flag.optional
  )
}

const overlap = Flag.Int("overlap").pipe(
  Flag.withDescription("The seconds for which the old key stays valid; default: 86400"),
  Flag.optional
)

interface LimitFlags {
  readonly credits: Option.Option<{ readonly limit: number | null }>
  readonly rpm: Option.Option<{ readonly limit: number | null }>
  readonly ips: Option.Option<string>
}

const toLimits = ({ credits, ips, rpm }: LimitFlags) => ({
  ...(Option.isSome(credits) ? { monthly_credits: credits.value.limit } : {}),
  ...(Option.isSome(rpm) ? { requests_per_minute: rpm.value.limit } : {}),
  ...(Option.isSome(ips)
    ? { allowed_ips: ips.value === "any" ? [] : ips.value.split(",").map((range) => range.trim()) }
    : {})
})

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([
    Command.make(
      "issue",
      { account, name, scopes, expires, ...limitFlags, idempotencyKey },
      ({ account, expires, idempotencyKey, name, scopes, ...limits }) =>
        runAdminCommand((client) =>
          client.issueKey({
            params: { id: account },
            headers: toHeaders(idempotencyKey),
            payload: { name, scopes, ...toExpiry(expires), ...toLimits(limits) }
          })
        )
    ).pipe(Command.withDescription("Issue a key; it is shown only once")),
    Command.make(
      "list",
      { account, ...pageFlags },
      ({ account, ...page }) =>
        runAdminCommand(
          (client) => client.keys({ params: { id: account }, query: toPage(page) }),
          [
            "id",
            "name",
            "prefix",
            "scopes",
            "credits_used",
            "monthly_credits",
            "requests_per_minute",
            "allowed_ips",
            "expires_at",
            "revoked_at",
            "last_used_at"
          ]
        )
    ).pipe(Command.withDescription("List an account's keys, oldest first")),
    Command.make(
      "change",
      { key, scopes: Flag.optional(scopes), expires, ...limitFlags, idempotencyKey },
      ({ expires, idempotencyKey, key, scopes, ...limits }) =>
        runAdminCommand((client) =>
          client.changeKey({
            params: { id: key },
            headers: toHeaders(idempotencyKey),
            payload: {
              ...(Option.isSome(scopes) ? { scopes: scopes.value } : {}),
              ...toExpiry(expires),
              ...toLimits(limits)
            }
          })
        )
    ).pipe(Command.withDescription("Change a key's scopes, limits or expiry")),
    Command.make(
      "rotate",
      { key, overlap, expires, idempotencyKey },
      ({ expires, idempotencyKey, key, overlap }) =>
        runAdminCommand((client) =>
          client.rotateKey({
            params: { id: key },
            headers: toHeaders(idempotencyKey),
            payload: {
              ...(Option.isSome(overlap) ? { overlap_seconds: overlap.value } : {}),
              ...toExpiry(expires)
            }
          })
        )
    ).pipe(Command.withDescription("Issue a successor of a key; it is shown only once")),
    Command.make(
      "revoke",
      { key, idempotencyKey },
      ({ idempotencyKey, key }) =>
        runAdminCommand((client) => client.revokeKey({ params: { id: key }, headers: toHeaders(idempotencyKey) }))
    ).pipe(Command.withDescription("Revoke a key permanently"))
  ])
)
