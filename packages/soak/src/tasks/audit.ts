import { answerPrice } from "../answers/audit.ts"
import type { Upstream } from "../answers/upstream.ts"
import { auditBooks, type Query } from "../audit.ts"
import type { Given, GivenTask } from "./given.ts"

const same = (what: string, is: unknown, should: unknown): ReadonlyArray<string> =>
  JSON.stringify(is) === JSON.stringify(should)
    ? []
    : [`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(should)}`]

/** Compares one task with its firings, its conversation, its notifications and the answers of its account. */
const auditTask = async (query: Query, account: number, task: GivenTask): Promise<ReadonlyArray<string>> => {
  const { fires, id, isRehoused, question } = task
  const name = `task ${id}`
  const [row] = await query(`select runs::int, conversation::int, last::jsonb ->> 'outcome' as outcome
    from tasks where account = ${account} and id = ${id}`)
  const firings = await query(`select f.state, f.outcome, f.conversation::int, coalesce(g.outcome, '-') as answer
    from task_firings f left join generations g on g.account = f.account and g.id = f.generation
    where f.account = ${account} and f.task = ${id}`)
  if (!fires) return [...same(`${name} runs`, row?.["runs"], 0), ...same(`${name} firings`, firings, [])]
  const conversation = row?.["conversation"]
  const outcome = question === null ? "reported" : "answered"
  const said = await query(`select role from messages where account = ${account}
    and conversation = ${Number(conversation)} order by id`)
  const rang = await query(`select kind from notifications where account = ${account} and task = ${id}`)
  return [
    ...same(`${name} was as last`, [row?.["runs"], row?.["outcome"]], [1, outcome]),
    ...same(`${name} fired`, firings, [{
      state: "ended",
      outcome,
      conversation,
      answer: question === null ? "-" : "finished"
    }]),
    ...same(`${name} is in another conversation`, conversation !== task.conversation, isRehoused),
    ...same(`${name} said`, said.map(({ role }) => role), question === null ? ["task"] : ["user", "assistant"]),
    ...same(`${name} rang`, rang, [{ kind: "task_fired" }])
  ]
}

/** Audits an account's tasks: each due task fired, reported, notified and was charged once. */
export const auditTasks = async (
  query: Query,
  upstream: Upstream,
  { account, tasks }: Given
): Promise<ReadonlyArray<string>> => {
  const each: Array<string> = []
  for (const task of tasks) each.push(...await auditTask(query, account, task))
  const firing = tasks.filter(({ fires }) => fires)
  const questions = firing.flatMap(({ question }) => question ?? [])
  const [counts] = await query(`select
    (select count(*)::int from tasks where account = ${account}) as tasks,
    (select count(*)::int from messages where account = ${account}) as messages,
    (select count(*)::int from generations where account = ${account}) as answers,
    (select count(*)::int from generations where account = ${account} and state <> 'closed') as open,
    (select coalesce(sum(credits), 0)::int from credit_reservations
      where account = ${account} and state = 'settled') as charged`)
  const bell = await query(`select n.n::int, a.notified::int from task_accounts a
    join notifications n on n.account = a.account where a.account = ${account} order by n.n`)
  const unasked = questions.filter((question) => !upstream.asked.has(`${question} step:2`))
  const again = upstream.repeated.filter((name) => questions.includes(name.split(" ")[0]!))
  return [
    ...each,
    ...same("it has", counts, {
      tasks: tasks.length,
      messages: 2 * questions.length + (firing.length - questions.length),
      answers: questions.length,
      open: 0,
      charged: answerPrice * questions.length
    }),
    ...same("its bell", bell, firing.map((_, i) => ({ n: i + 1, notified: firing.length }))),
    ...same("the model was never asked", unasked, []),
    ...same("the model was asked again", again, []),
    ...(await auditBooks(query))
  ]
}
