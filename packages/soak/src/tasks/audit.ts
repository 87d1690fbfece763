import { answerPrice } from "../answers/audit.ts"
import type { FakeUpstream } from "../answers/fakeUpstream.ts"
import { auditLedger, type Query } from "../audit.ts"
import type { DueTask, TaskAccount } from "./dueTasks.ts"

const expectSame = (name: string, actual: unknown, expected: unknown): ReadonlyArray<string> =>
  JSON.stringify(actual) === JSON.stringify(expected)
    ? []
    : [`${name}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`]

const auditTask = async (query: Query, account: number, taskRow: DueTask): Promise<ReadonlyArray<string>> => {
  const { fires, id, isRehoused, question } = taskRow
  const name = `task ${id}`
  const [row] = await query(`select runs::int, conversation::int, last::jsonb ->> 'outcome' as outcome
    from tasks where account = ${account} and id = ${id}`)
  const firings = await query(`select f.state, f.outcome, f.conversation::int, coalesce(g.outcome, '-') as answer
    from task_firings f left join generations g on g.account = f.account and g.id = f.generation
    where f.account = ${account} and f.task = ${id}`)
  if (!fires) return [...expectSame(`${name}: runs`, row?.["runs"], 0), ...expectSame(`${name}: firings`, firings, [])]
  const conversation = row?.["conversation"]
  const outcome = question === null ? "reported" : "answered"
  const messages = await query(`select role from messages where account = ${account}
    and conversation = ${Number(conversation)} order by id`)
  const notifications = await query(`select kind from notifications where account = ${account} and task = ${id}`)
  return [
    ...expectSame(`${name}: runs and last outcome`, [row?.["runs"], row?.["outcome"]], [1, outcome]),
    ...expectSame(`${name}: firings`, firings, [{
      state: "ended",
      outcome,
      conversation,
      answer: question === null ? "-" : "finished"
    }]),
    ...expectSame(`${name}: has moved to another conversation`, conversation !== taskRow.conversation, isRehoused),
    ...expectSame(
      `${name}: roles of the messages`,
      messages.map(({ role }) => role),
      question === null ? ["task"] : ["user", "assistant"]
    ),
    ...expectSame(`${name}: notifications`, notifications, [{ kind: "task_fired" }])
  ]
}

/** Audits an account's tasks: each due task must have fired, reported, notified and been charged exactly once. */
export const auditTasks = async (
  query: Query,
  upstream: FakeUpstream,
  { account, tasks }: TaskAccount
): Promise<ReadonlyArray<string>> => {
  const taskFindings: Array<string> = []
  for (const taskRow of tasks) taskFindings.push(...await auditTask(query, account, taskRow))
  const firingTasks = tasks.filter(({ fires }) => fires)
  const questions = firingTasks.flatMap(({ question }) => question ?? [])
  const [counts] = await query(`select
    (select count(*)::int from tasks where account = ${account}) as tasks,
    (select count(*)::int from messages where account = ${account}) as messages,
    (select count(*)::int from generations where account = ${account}) as answers,
    (select count(*)::int from generations where account = ${account} and state <> 'closed') as open,
    (select coalesce(sum(credits), 0)::int from credit_reservations
      where account = ${account} and state = 'settled') as charged`)
  const notificationRows = await query(`select n.n::int, a.notified::int from task_accounts a
    join notifications n on n.account = a.account where a.account = ${account} order by n.n`)
  const unansweredQuestions = questions.filter((question) => !upstream.requestCounts.has(`${question} step:2`))
  const repeatedRequests = upstream.repeatedRequests.filter((name) => questions.includes(name.split(" ")[0]!))
  return [
    ...taskFindings,
    ...expectSame("the account's rows", counts, {
      tasks: tasks.length,
      messages: 2 * questions.length + (firingTasks.length - questions.length),
      answers: questions.length,
      open: 0,
      charged: answerPrice * questions.length
    }),
    ...expectSame(
      "the numbers of the account's notifications",
      notificationRows,
      firingTasks.map((_, i) => ({ n: i + 1, notified: firingTasks.length }))
    ),
    ...expectSame("questions that the model never received", unansweredQuestions, []),
    ...expectSame("questions that the model received twice", repeatedRequests, []),
    ...(await auditLedger(query))
  ]
}
