import { auditQuestion, nextQuestionName, nullIfKilled, pollUntil, query, type TestWorld } from "./failpoints.ts"
import { type FakeUpstream, questionText } from "./fakeUpstream.ts"
import { withOneProcess } from "./testWorld.ts"
import { type WorkerProcess } from "./WorkerProcess.ts"

const timeoutMs = 20_000

const startAnswering = async (upstream: FakeUpstream, worker: WorkerProcess, account: number, step: string) => {
  const question = nextQuestionName()
  const started = await worker.call("start", { account, message: questionText(question), conversation: null })
  await pollUntil(timeoutMs, () => Promise.resolve(upstream.requestCounts.has(`${question} ${step}`) || null))
  return { ...started, question }
}

const repeatedRequests = ({ repeatedRequests }: FakeUpstream, question: string) =>
  repeatedRequests.filter((name) => name.startsWith(`${question} `)).map((name) => `again: ${name}`)

/** Kills the only process on an embedded database during an answer, starts another process, and audits the answer. */
export const restartSingleProcess = (): Promise<ReadonlyArray<string>> =>
  withOneProcess(async ({ startWorker, upstream }) => {
    const firstWorker = await startWorker()
    const account = await firstWorker.call("createAccount", null)
    const { question } = await startAnswering(upstream, firstWorker, account, "step:2")
    await firstWorker.kill()
    const survivor = await startWorker()
    const findings = await auditQuestion({ survivor, timeoutMs }, account, "finished")
    return [...findings, ...repeatedRequests(upstream, question)]
  })

/** Kills the owner of an answer while the model is silent, and checks that another process can cancel the answer. */
export const cancelAfterOwnerDied = async (
  { survivor, upstream, victim }: TestWorld
): Promise<ReadonlyArray<string>> => {
  const ownerWorker = await victim()
  const account = await survivor.call("createAccount", null)
  const { conversation, generation } = await startAnswering(upstream, ownerWorker, account, "step:2")
  await ownerWorker.kill()
  const cancelled = await survivor.call("cancel", { account, conversation })
  const next = nextQuestionName()
  // The start proves that the cancelled generation has ended, because a conversation rejects a second running answer.
  const after = await survivor.call("start", { account, message: questionText(next), conversation })
  const events = await survivor.call("follow", { generation: after.generation, after: 0 })
  const [row] = await query(survivor)(`select outcome from generations where id = ${generation}`)
  return [
    ...(cancelled ? [] : ["the cancellation found no running answer"]),
    ...(row?.["outcome"] === "cancelled" ? [] : ["the stored outcome is not cancelled"]),
    ...(events.some(({ kind }) => kind === "done") ? [] : ["the next answer did not end"])
  ]
}

/** Checks that a cancellation that another process receives ends the request to the model. */
export const cancelFromOtherProcess = async (
  { survivor, upstream, victim }: TestWorld
): Promise<ReadonlyArray<string>> => {
  const ownerWorker = await victim()
  const account = await survivor.call("createAccount", null)
  upstream.pauseMs = 30_000
  try {
    const { conversation } = await startAnswering(upstream, ownerWorker, account, "step:1")
    const cancelled = await survivor.call("cancel", { account, conversation })
    const isRequestClosed = await pollUntil(timeoutMs, () => Promise.resolve(upstream.openRequests() === 0 || null))
    return [
      ...(cancelled ? [] : ["the cancellation found no running answer"]),
      ...(isRequestClosed === null ? ["the request to the model is still open"] : [])
    ]
  } finally {
    upstream.pauseMs = 60
    await ownerWorker.kill()
  }
}

/** Checks that a model step is called only once if the step takes longer than the cluster's redelivery time. */
export const stepLongerThanRedelivery = async (
  { survivor, upstream, victim }: TestWorld
): Promise<ReadonlyArray<string>> => {
  const ownerWorker = await victim()
  const account = await survivor.call("createAccount", null)
  upstream.pauseMs = 2_500
  try {
    const { question } = await startAnswering(upstream, ownerWorker, account, "step:1")
    await query(survivor)("update tapeline_cluster_messages set last_read = last_read - interval '1 hour'")
    await pollUntil(timeoutMs, () => Promise.resolve(upstream.requestCounts.has(`${question} step:2`) || null))
    upstream.pauseMs = 60
    const requestCounts = [...upstream.requestCounts].filter(([name]) => name.startsWith(`${question} `))
    return [
      ...requestCounts.filter(([, count]) => count !== 1).map(([name, count]) =>
        `the model received ${name} ${count} times`
      ),
      ...(requestCounts.length === 3 ? [] : [`the model received ${JSON.stringify(requestCounts)}`])
    ]
  } finally {
    upstream.pauseMs = 60
    await ownerWorker.kill()
  }
}

/** Checks that a process that receives SIGTERM hands over its generations to another process. */
export const gracefulHandover = async (world: TestWorld): Promise<ReadonlyArray<string>> => {
  const { survivor, upstream, victim } = world
  const ownerWorker = await victim()
  const account = await survivor.call("createAccount", null)
  const { question } = await startAnswering(upstream, ownerWorker, account, "step:2")
  await nullIfKilled(ownerWorker.stop())
  return [...await auditQuestion(world, account, "finished"), ...repeatedRequests(upstream, question)]
}
