import { type EventType, eventTypes } from "@tapeline/core/engine"
import { Command, Flag } from "effect/cli"
import { optional, pageFlags, runAdminCommand, toPage } from "./common.ts"

const timeFlag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(`${description}, such as 2027-01-31T00:00:00Z`), Flag.optional)

export const events = Command.make(
  "events",
  {
    ...pageFlags,
    account: Flag.Int("account").pipe(Flag.withDescription("Only the events of this account"), Flag.optional),
    // `Object.keys` returns the keys as plain strings.
    type: Flag.Literals("type", Object.keys(eventTypes) as ReadonlyArray<EventType>).pipe(
      Flag.withDescription("Only events of this type"),
      Flag.optional
    ),
    since: timeFlag("since", "Only events at or after this time"),
    until: timeFlag("until", "Only events before this time"),
    order: Flag.Literals("order", ["oldest", "newest"]).pipe(
      Flag.withDescription("The order of the events; default: oldest"),
      Flag.optional
    )
  },
  ({ account, order, since, type, until, ...page }) =>
    runAdminCommand((client) =>
      client.events({
        query: {
          ...toPage(page),
          ...optional("account", account),
          ...optional("type", type),
          ...optional("since", since),
          ...optional("until", until),
          ...optional("order", order)
        }
      }), ["id", "time", "type", "actor", "account", "target", "after"])
).pipe(Command.withDescription("List the recorded administrative and security-relevant events"))
