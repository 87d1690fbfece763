import { Schema } from "effect"
import { optional } from "../../engine/tool/argument.ts"
import { notes } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { maxRuns, prompt, SpecArgument, title } from "./arguments.ts"
import { TaskRow } from "./fields.ts"

const hasMatchingSpec = Schema.makeFilter<{ readonly kind: "watch" | "schedule"; readonly spec: SpecArgument }>(
  ({ kind, spec }) => (kind === "watch") === (spec.metric !== undefined) || { path: ["spec"], issue: "of its kind" },
  { expected: "a spec of the task's kind", expectedMessage: { key: "expected_task_spec" } }
)

export const createTask = specify({
  name: "create_task",
  area: "tasks",
  scope: "write:personal",
  credits: 1,
  summary:
    "Creates a background task: a watch fires on a condition checked every minute, a schedule at set times. It reports in its conversation and notifications, or has the analyst answer its prompt.",
  parameters: Schema.Struct({
    title,
    kind: Schema.Literals(["watch", "schedule"]),
    spec: SpecArgument,
    prompt: optional(
      prompt.annotate({ description: "Question for the analyst; schedule default: its title" })
    ),
    max_runs: optional(maxRuns.annotate({ description: "Default: watch 1, schedule 0; 0 is unlimited" }))
  }).check(hasMatchingSpec),
  // A task that sends a question to the analyst requires the scope to use the analyst.
  additionalScope: ({ kind, prompt }) => kind === "schedule" || prompt !== undefined ? "agent:chat" : null,
  result: Schema.Struct({ task: TaskRow, notes }),
  example: {
    title: "BTC above 120000",
    kind: "watch",
    spec: { metric: "price", symbol: "BTC", op: "cross_above", value: 120_000 }
  }
})
