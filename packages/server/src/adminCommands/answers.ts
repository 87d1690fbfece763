import { Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { account, idempotencyKey, runAdminCommand, toHeaders } from "./common.ts"

const reason = Flag.String("reason").pipe(Flag.withDescription("The reason, which the user sees"), Flag.optional)

const toPayload = (reason: Option.Option<string>) => Option.isNone(reason) ? {} : { reason: reason.value }

const answer = Argument.Int("answer").pipe(Argument.withDescription("The answer's id"))
const task = Argument.Int("task").pipe(Argument.withDescription("The task's id"))

export const answers = Command.make("answers").pipe(
  Command.withDescription("Running answers of the analyst"),
  Command.withSubcommands([
    Command.make(
      "list",
      { account },
      ({ account }) =>
        runAdminCommand(
          (client) => client.answers({ params: { id: account } }),
          ["id", "state", "actor", "credits", "call_id", "started_at"]
        )
    ).pipe(
      Command.withDescription("List the running answers of an account")
    ),
    Command.make(
      "get",
      { answer },
      ({ answer }) => runAdminCommand((client) => client.answer({ params: { id: answer } }))
    ).pipe(
      Command.withDescription("Show an answer, without its texts")
    ),
    Command.make(
      "stop",
      { answer, reason, idempotencyKey },
      ({ answer, idempotencyKey, reason }) =>
        runAdminCommand((client) =>
          client.stopAnswer({ params: { id: answer }, headers: toHeaders(idempotencyKey), payload: toPayload(reason) })
        )
    ).pipe(Command.withDescription("Stop a running answer without a charge"))
  ])
)

export const tasks = Command.make("tasks").pipe(
  Command.withDescription("Background tasks of accounts"),
  Command.withSubcommands([
    Command.make(
      "list",
      { account },
      ({ account }) =>
        runAdminCommand(
          (client) => client.tasks({ params: { id: account } }),
          ["id", "title", "kind", "status", "runs", "next_at", "created_at"]
        )
    ).pipe(
      Command.withDescription("List the tasks of an account, newest first")
    ),
    Command.make(
      "pause",
      { account, task, reason, idempotencyKey },
      ({ account, idempotencyKey, reason, task }) =>
        runAdminCommand((client) =>
          client.pauseTask({
            params: { id: account, task },
            headers: toHeaders(idempotencyKey),
            payload: toPayload(reason)
          })
        )
    ).pipe(Command.withDescription("Pause a task"))
  ])
)
