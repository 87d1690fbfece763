// A chat with the analyst in a terminal, in which each line is a question and `/new` begins another conversation.
// Ctrl-C cancels the running answer, or ends the chat if no answer is running.
//
//   TAPELINE_API_KEY=tl_live_... TAPELINE_URL=http://127.0.0.1:8787 npm start -w @tapeline-examples/terminal-chat
import { type Client, createClient, isClientError } from "@tapeline/client"
import { createInterface } from "node:readline/promises"
import { Page } from "./Page.ts"

const { TAPELINE_API_KEY = "", TAPELINE_URL = "http://127.0.0.1:8787" } = process.env

/** Writes status lines and prompts to standard error, so that standard output contains only answers. */
const printNotice = (text: string) => process.stderr.write(text)

/** Writes the answer to a question while it arrives, and returns the conversation's id. */
const answer = async (
  client: Client,
  message: string,
  conversation: number | undefined
): Promise<number | undefined> => {
  const stream = client.agent.stream({
    message,
    ...(conversation === undefined ? {} : { conversation_id: conversation })
  })
  const cancel = () => {
    // Closing the stream would not stop the answer, but cancelling ends both the answer and the stream.
    if (stream.conversation_id !== undefined) void client.agent.cancel(stream.conversation_id).catch(() => undefined)
  }
  process.on("SIGINT", cancel)
  const page = new Page((text) => void process.stdout.write(text))
  try {
    for await (const event of stream) {
      page.show(event)
      if (event.kind === "tool") printNotice(`  [${event.data.name} ${JSON.stringify(event.data.arguments)}]\n`)
      if (event.kind === "done") {
        process.stdout.write("\n")
        printNotice(`  [${event.data.outcome}: ${event.data.credits_used} credits, ${event.data.credits_left} left]\n`)
      }
      if (event.kind === "stored") printNotice("\n  [it ended while the line was down]\n")
      if (event.kind === "suggest") printNotice(event.data.questions.map((question) => `  > ${question}\n`).join(""))
    }
  } finally {
    process.off("SIGINT", cancel)
  }
  return stream.conversation_id
}

const describeClientError = (error: unknown): string => {
  if (!isClientError(error)) throw error
  switch (error._tag) {
    case "OverLimit":
      return `An answer costs ${error.price} credits, and ${error.credits_left} are left.`
    case "DailyQuotaReached":
      return `The day's ${error.quota} answers are used up until ${error.renews_at}.`
    case "GenerationRunning":
      return "This conversation is being answered elsewhere."
    case "InvalidArguments":
      return error.issues.map(({ message, path }) => `${path.join(".")}: ${message}`).join("\n")
    default:
      return error.message
  }
}

if (TAPELINE_API_KEY === "") {
  printNotice("TAPELINE_API_KEY is not set: the service prints a key at its first start.\n")
  process.exit(2)
}
const client = createClient({ url: TAPELINE_URL, key: TAPELINE_API_KEY })
const lines = createInterface({ input: process.stdin, output: process.stderr, prompt: "> " })
/** The input can end while an answer is running, and the lines before the end of the input are still answered. */
let isOpen = true
lines.once("close", () => {
  isOpen = false
})
const ask = () => {
  if (isOpen) lines.prompt()
}
lines.on("SIGINT", () => {
  if (!process.emit("SIGINT")) lines.close()
})

let conversation: number | undefined
ask()
for await (const line of lines) {
  const question = line.trim()
  if (question === "/new") conversation = undefined
  else if (question !== "") {
    try {
      conversation = await answer(client, question, conversation)
    } catch (error) {
      printNotice(`${describeClientError(error)}\n`)
    }
  }
  ask()
}
