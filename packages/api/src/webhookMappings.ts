import type { UnknownDelivery, UnknownWebhook, WebhookDisabled, WebhookLimit, WebhookUrlRejected } from "@tapeline/core"
import type { ProblemMapping } from "./problemMapping.ts"

/** The errors with which the service can reject a request about webhooks. */
export type WebhookRejection = UnknownDelivery | UnknownWebhook | WebhookDisabled | WebhookLimit | WebhookUrlRejected

/** Maps the errors about webhooks to the problem responses of the service. */
export const webhookMappings = {
  UnknownWebhook: {
    code: "not_found",
    sample: { webhook: 5 },
    problem: ({ webhook: id }) => ({ detail: { key: "unknown_webhook", params: { id } } })
  },
  UnknownDelivery: {
    code: "not_found",
    sample: { event: 415 },
    problem: ({ event: id }) => ({ detail: { key: "unknown_delivery", params: { id } } })
  },
  WebhookLimit: {
    code: "webhook_limit",
    sample: { limit: 50 },
    problem: ({ limit }) => ({ detail: { key: "webhook_limit", params: { limit } } })
  },
  WebhookDisabled: {
    code: "webhook_disabled",
    sample: { webhook: 5 },
    problem: ({ webhook: id }) => ({ detail: { key: "webhook_disabled", params: { id } } })
  },
  WebhookUrlRejected: {
    code: "invalid_arguments",
    sample: { reason: "private" },
    problem: ({ reason }, format) => ({
      detail: { key: "invalid_arguments", params: { count: 1 } },
      fields: { issues: [{ path: ["url"], message: format({ key: `webhook_url_${reason}` }) }] }
    })
  }
} satisfies { readonly [R in WebhookRejection as R["_tag"]]: ProblemMapping<R> }
