import { EventType, eventTypes } from "@tapeline/core/engine"
import { Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { idempotencyKey, pageFlags, runAdminCommand, toHeaders, toPage } from "./common.ts"

const webhook = Argument.Int("webhook").pipe(Argument.withDescription("The webhook's id"))
const urlFlag = Flag.String("url").pipe(Flag.withDescription("The https: address that receives the events"))
const description = Flag.String("description").pipe(
  Flag.withDescription("A description for operators; an empty text removes it"),
  Flag.optional
)

const decodeTypes = Schema.decodeUnknownOption(Schema.Array(EventType))
const types = Flag.String("types").pipe(
  Flag.withDescription(`Event types, separated by commas, or \`all\`: ${Object.keys(eventTypes).join(", ")}`),
  Flag.filterMap(
    (text): Option.Option<ReadonlyArray<EventType> | null> =>
      text.trim() === "all" ? Option.some(null) : decodeTypes(text.split(",").map((part) => part.trim())),
    () => "`all`, or event types separated by commas"
  ),
  Flag.optional
)

type Fields = {
  readonly description: Option.Option<string>
  readonly types: Option.Option<ReadonlyArray<EventType> | null>
}
const toFields = ({ description, types }: Fields) => ({
  ...(Option.isSome(description) ? { description: description.value === "" ? null : description.value } : {}),
  ...(Option.isSome(types) ? { types: types.value } : {})
})

const create = Command.make(
  "create",
  { url: urlFlag, types, description, idempotencyKey },
  ({ idempotencyKey, url, ...fields }) =>
    runAdminCommand((client) =>
      client.createWebhook({ headers: toHeaders(idempotencyKey), payload: { url, ...toFields(fields) } })
    )
).pipe(Command.withDescription("Create a webhook; its secret is shown only once"))

const list = Command.make(
  "list",
  pageFlags,
  (page) => runAdminCommand((client) => client.webhooks({ query: toPage(page) }))
).pipe(Command.withDescription("List the webhooks, oldest first"))

const update = Command.make(
  "update",
  {
    webhook,
    url: Flag.optional(urlFlag),
    types,
    description,
    status: Flag.Literals("status", ["enabled", "disabled"]).pipe(
      Flag.withDescription("Whether the webhook receives events"),
      Flag.optional
    ),
    idempotencyKey
  },
  ({ idempotencyKey, status, url, webhook, ...fields }) =>
    runAdminCommand((client) =>
      client.changeWebhook({
        params: { id: webhook },
        headers: toHeaders(idempotencyKey),
        payload: {
          ...toFields(fields),
          ...(Option.isSome(url) ? { url: url.value } : {}),
          ...(Option.isSome(status) ? { status: status.value } : {})
        }
      })
    )
).pipe(Command.withDescription("Change a webhook, or enable or disable it"))

const remove = Command.make(
  "delete",
  { webhook, idempotencyKey },
  ({ idempotencyKey, webhook }) =>
    runAdminCommand((client) => client.deleteWebhook({ params: { id: webhook }, headers: toHeaders(idempotencyKey) }))
).pipe(Command.withDescription("Delete a webhook and its deliveries"))

const rotate = Command.make(
  "rotate",
  {
    webhook,
    overlap: Flag.Int("overlap-hours").pipe(
      Flag.withDescription("The hours for which the replaced secret also signs, up to 168; default: 24"),
      Flag.optional
    ),
    idempotencyKey
  },
  ({ idempotencyKey, overlap, webhook }) =>
    runAdminCommand((client) =>
      client.rotateWebhookSecret({
        params: { id: webhook },
        headers: toHeaders(idempotencyKey),
        payload: Option.isSome(overlap) ? { overlap_hours: overlap.value } : {}
      })
    )
).pipe(Command.withDescription("Replace the secret of a webhook; the new secret is shown only once"))

const test = Command.make(
  "test",
  { webhook, idempotencyKey },
  ({ idempotencyKey, webhook }) =>
    runAdminCommand((client) => client.testWebhook({ params: { id: webhook }, headers: toHeaders(idempotencyKey) }))
).pipe(Command.withDescription("Send an event `webhook.test` to a webhook"))

const deliveries = Command.make(
  "deliveries",
  {
    webhook,
    ...pageFlags,
    state: Flag.Literals("state", ["waiting", "delivered", "failed"]).pipe(
      Flag.withDescription("Only deliveries in this state"),
      Flag.optional
    )
  },
  ({ state, webhook, ...page }) =>
    runAdminCommand((client) =>
      client.webhookDeliveries({
        params: { id: webhook },
        query: { ...toPage(page), ...(Option.isSome(state) ? { state: state.value } : {}) }
      })
    )
).pipe(Command.withDescription("List the deliveries to a webhook, in the order of their events"))

const retry = Command.make(
  "retry",
  { webhook, event: Argument.Int("event").pipe(Argument.withDescription("The event's id")), idempotencyKey },
  ({ event, idempotencyKey, webhook }) =>
    runAdminCommand((client) =>
      client.retryWebhookDelivery({ params: { id: webhook, event }, headers: toHeaders(idempotencyKey) })
    )
).pipe(Command.withDescription("Send an event to a webhook again"))

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("Webhooks, which send events to your programs"),
  Command.withSubcommands([create, list, update, remove, rotate, test, deliveries, retry])
)
