import { type Answerer } from "./Answerer.ts"
import { eventually, judge, nextQuestion, query, unheard, type World } from "./matrix.ts"
import { questionNamed, type Upstream } from "./upstream.ts"
import { withOneProcess } from "./world.ts"

const patienceMs = 20_000

/** Starts an answer, and waits until the model is called for the given step. */
const answering = async (upstream: Upstream, answerer: Answerer, account: number, step: string) => {
  const question = nextQuestion()
  const begun = await answerer.ask("start", { account, message: questionNamed(question), conversation: null })
  await eventually(patienceMs, () => Promise.resolve(upstream.asked.has(`${question} ${step}`) || null))
  return { ...begun, question }
}

const repeatedOf = ({ repeated }: Upstream, question: string) =>
  repeated.filter((name) => name.startsWith(`${question} `)).map((name) => `again: ${name}`)

/** Kills the only process on an embedded database in the middle of an answer, and starts it again. */
export const restart = (): Promise<ReadonlyArray<string>> =>
  withOneProcess(async ({ begin, upstream }) => {
    const first = await begin()
    const account = await first.ask("enrol", null)
    const { question } = await answering(upstream, first, account, "step:2")
    await first.kill()
    const survivor = await begin()
    const findings = await judge({ survivor, patienceMs }, account, "finished")
    return [...findings, ...repeatedOf(upstream, question)]
  })

/**
 * Kills the owner of an answer while its model is silent. A cancel in another process frees the conversation at once.
 */
export const cancelOfTheDead = async ({ survivor, upstream, victim }: World): Promise<ReadonlyArray<string>> => {
  const owner = await victim()
  const account = await survivor.ask("enrol", null)
  const { conversation, generation } = await answering(upstream, owner, account, "step:2")
  await owner.kill()
  const cancelled = await survivor.ask("cancel", { account, conversation })
  const next = nextQuestion()
  // A start is rejected while another generation of the conversation runs.
  const after = await survivor.ask("start", { account, message: questionNamed(next), conversation })
  const events = await survivor.ask("follow", { generation: after.generation, after: 0 })
  const [row] = await query(survivor)(`select outcome from generations where id = ${generation}`)
  return [
    ...(cancelled ? [] : ["nothing was cancelled"]),
    ...(row?.["outcome"] === "cancelled" ? [] : ["the row does not say so"]),
    ...(events.some(({ kind }) => kind === "done") ? [] : ["the next answer did not end"])
  ]
}

/** A cancel that another process receives stops the request to the model. */
export const cancelElsewhere = async ({ survivor, upstream, victim }: World): Promise<ReadonlyArray<string>> => {
  const owner = await victim()
  const account = await survivor.ask("enrol", null)
  upstream.pauseMs = 30_000
  try {
    const { conversation } = await answering(upstream, owner, account, "step:1")
    const cancelled = await survivor.ask("cancel", { account, conversation })
    const closed = await eventually(patienceMs, () => Promise.resolve(upstream.open() === 0 || null))
    return [
      ...(cancelled ? [] : ["nothing was cancelled"]),
      ...(closed === null ? ["the request to the model is still open"] : [])
    ]
  } finally {
    upstream.pauseMs = 60
    await owner.kill()
  }
}

/**
 * A model step that takes longer than the cluster waits before it delivers a message again. The test makes the messages
 * that old, and the cluster checks several times. The model must be called once.
 */
export const longStep = async ({ survivor, upstream, victim }: World): Promise<ReadonlyArray<string>> => {
  const owner = await victim()
  const account = await survivor.ask("enrol", null)
  upstream.pauseMs = 2_500
  try {
    const { question } = await answering(upstream, owner, account, "step:1")
    await query(survivor)("update tapeline_cluster_messages set last_read = last_read - interval '1 hour'")
    await eventually(patienceMs, () => Promise.resolve(upstream.asked.has(`${question} step:2`) || null))
    upstream.pauseMs = 60
    const times = [...upstream.asked].filter(([name]) => name.startsWith(`${question} `))
    return [
      ...times.filter(([, count]) => count !== 1).map(([name, count]) => `${name} was asked for ${count} times`),
      ...(times.length === 3 ? [] : [`it was asked for ${JSON.stringify(times)}`])
    ]
  } finally {
    upstream.pauseMs = 60
    await owner.kill()
  }
}

/** A process that receives SIGTERM hands its generations over to another process. */
export const handover = async (world: World): Promise<ReadonlyArray<string>> => {
  const { survivor, upstream, victim } = world
  const owner = await victim()
  const account = await survivor.ask("enrol", null)
  const { question } = await answering(upstream, owner, account, "step:2")
  await unheard(owner.stop())
  return [...await judge(world, account, "finished"), ...repeatedOf(upstream, question)]
}
