import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import type { Message } from "@tapeline/client"
import type { ReactNode } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { emptyAnswer, type LiveAnswer } from "../browser/pages/analyst/liveAnswer.ts"
import { LiveView, MessageView } from "../browser/pages/analyst/MessageView.tsx"
import { Badge } from "../browser/widgets/layout.tsx"

beforeAll(() => {
  vi.stubGlobal("location", { origin: "https://tapeline.example.com" })
  vi.stubGlobal("isSecureContext", false)
})
afterAll(() => {
  vi.unstubAllGlobals()
})

const disclaimer = "Offline analyst (rules, no language model)"
const badge = renderToStaticMarkup(<Badge>{disclaimer}</Badge>)

const render = (view: ReactNode): string =>
  renderToStaticMarkup(<QueryClientProvider client={new QueryClient()}>{view}</QueryClientProvider>)

const stored = (fields: Partial<Message>): string => {
  // The cast is safe because the object has every field that the page reads.
  const message = {
    role: "assistant",
    content: "BTC trades at $66,980.",
    created_at: "2026-11-22T09:31:04.000Z",
    charts: [],
    images: [],
    tools: [],
    outcome: "finished",
    ...fields
  } as unknown as Message
  return render(<MessageView details={undefined} message={message} />)
}

describe("The disclaimer of an answer", () => {
  it("is a badge below the text of a stored answer", () => {
    const html = stored({ disclaimer })
    expect(html).toContain(badge)
    expect(html.indexOf(badge)).toBeGreaterThan(html.indexOf("$66,980"))
  })

  it("is a badge of a streamed answer once the answer is done", () => {
    // The cast is safe because the page reads no other field of `done`.
    const done = { credits_used: 1, took_ms: 10, disclaimer } as unknown as LiveAnswer["done"]
    const live = { ...emptyAnswer, text: "BTC trades at $66,980." }
    expect(render(<LiveView isRunning={false} live={{ ...live, done }} />)).toContain(badge)
    expect(render(<LiveView isRunning live={live} />)).not.toContain(disclaimer)
  })

  it("is not shown for an answer without a disclaimer, or without text", () => {
    expect(stored({})).not.toContain(disclaimer)
    expect(stored({ content: "", disclaimer })).not.toContain(disclaimer)
  })
})
