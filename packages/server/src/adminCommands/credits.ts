import type { AdjustCredits } from "@tapeline/api"
import type { Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { account, idempotencyKey, month, optional, pageFlags, runAdminCommand, toHeaders, toPage } from "./common.ts"

const note = {
  reason: Flag.String("reason").pipe(
    Flag.withDescription("The reason, for operators; the account's user does not see it")
  ),
  reference: Flag.String("reference").pipe(
    Flag.withDescription("A reference, such as an invoice number, which the account's user sees"),
    Flag.optional
  )
}

const adjustmentColumns = ["id", "month", "kind", "amount", "call_id", "reference", "reason", "created_at"]

const adjust = (account: number, key: Option.Option<string>, payload: typeof AdjustCredits.Type) =>
  runAdminCommand(
    (client) => client.adjustCredits({ params: { id: account }, headers: toHeaders(key), payload }),
    adjustmentColumns
  )

export const credits = Command.make("credits").pipe(
  Command.withDescription("Grants, refunds and corrections of credits"),
  Command.withSubcommands([
    Command.make(
      "grant",
      {
        account,
        amount: Flag.Int("amount").pipe(Flag.withDescription("The credits to add to each month")),
        month,
        months: Flag.Int("months").pipe(
          Flag.withDescription("The number of consecutive months, up to 120; default: 1"),
          Flag.optional
        ),
        ...note,
        idempotencyKey
      },
      ({ account, amount, idempotencyKey, month, months, reason, reference }) =>
        adjust(account, idempotencyKey, {
          kind: "grant",
          amount,
          reason,
          ...optional("month", month),
          ...optional("months", months),
          ...optional("reference", reference)
        })
    ).pipe(Command.withDescription("Add credits to one month or to several months")),
    Command.make(
      "refund",
      {
        account,
        call: Argument.String("call").pipe(
          Argument.withDescription("The id of the call or answer, such as call_202611_4711")
        ),
        amount: Flag.Int("amount").pipe(
          Flag.withDescription("The credits to refund; default: all credits that the call was charged"),
          Flag.optional
        ),
        ...note,
        idempotencyKey
      },
      ({ account, amount, call, idempotencyKey, reason, reference }) =>
        adjust(account, idempotencyKey, {
          kind: "refund",
          call_id: call,
          reason,
          ...optional("amount", amount),
          ...optional("reference", reference)
        })
    ).pipe(Command.withDescription("Refund a charged call in the current month")),
    Command.make(
      "correct",
      {
        account,
        amount: Flag.Int("amount").pipe(
          Flag.withDescription("The credits to add; a negative number removes credits, such as --amount=-500")
        ),
        month,
        allowNegative: Flag.Boolean("allow-negative").pipe(
          Flag.withDefault(false),
          Flag.withDescription("Permit that the month has fewer credits than are used and reserved")
        ),
        ...note,
        idempotencyKey
      },
      ({ account, allowNegative, amount, idempotencyKey, month, reason, reference }) =>
        adjust(account, idempotencyKey, {
          kind: "correction",
          amount,
          reason,
          allow_negative: allowNegative,
          ...optional("month", month),
          ...optional("reference", reference)
        })
    ).pipe(Command.withDescription("Add or remove credits of one month")),
    Command.make(
      "list",
      { account, month, ...pageFlags },
      ({ account, month, ...page }) =>
        runAdminCommand(
          (client) =>
            client.adjustments({ params: { id: account }, query: { ...toPage(page), ...optional("month", month) } }),
          adjustmentColumns
        )
    ).pipe(Command.withDescription("List the adjustments of an account, oldest first, and the credits of the month"))
  ])
)

export const calls = Command.make("calls").pipe(
  Command.withDescription("Calls and answers of accounts"),
  Command.withSubcommands([
    Command.make(
      "list",
      { account, month, ...pageFlags },
      ({ account, month, ...page }) =>
        runAdminCommand(
          (client) =>
            client.calls({ params: { id: account }, query: { ...toPage(page), ...optional("month", month) } }),
          ["call_id", "time", "operation", "credits", "state", "actor", "refund"]
        )
    ).pipe(
      Command.withDescription("List the calls of an account in a month, largest id first; default: the current month")
    )
  ])
)
