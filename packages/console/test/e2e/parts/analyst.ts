import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { frameTexts } from "../../../browser/app/texts.ts"
import { analystTexts } from "../../../browser/pages/analyst/texts.ts"
import { pages } from "../../../browser/pages/index.ts"
import { toolTexts } from "../../../browser/pages/tool/texts.ts"
import { toolsTexts } from "../../../browser/pages/tools/texts.ts"
import { usageTexts } from "../../../browser/pages/usage/texts.ts"
import { widgetTexts } from "../../../browser/widgets/texts.ts"
import { figureQuestion, inventedNumber, slowAnswers } from "../support/analyst.ts"
import { callTool } from "../support/callTool.ts"
import { testedLanguages } from "../support/describeInBrowser.ts"
import type { TestEnvironment } from "../support/environment.ts"

const pageName = (path: string): string => pages.find((page) => page.path === path)!.name.en

const readStoredMessages = async (
  page: Page
): Promise<ReadonlyArray<{ readonly role: string; readonly content: string }>> => {
  const conversation = /\d+$/u.exec(page.url())![0]
  const answerArticle = await page.request.get(`/v1/agent/conversations/${conversation}`)
  return (await answerArticle.json()).messages
}

const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** Pastes an image at the cursor, as a browser with an image in the clipboard does. */
const paste = (page: Page, name: string): Promise<void> =>
  page.evaluate(([name, base64]) => {
    const clipboardData = new DataTransfer()
    clipboardData.items.add(
      new File([Uint8Array.from(atob(base64!), (letter) => letter.charCodeAt(0))], name!, { type: "image/png" })
    )
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true })
    document.activeElement!.dispatchEvent(event)
  }, [name, image])

export const testLeavingPage = (environment: () => TestEnvironment): void => {
  it("shows a question again after its page was left, and stops reading its answer after sign-out", async () => {
    const texts = analystTexts.en
    const { goTo, page } = await environment().openSignedIn(await environment().createAccount())
    await goTo("/analyst")
    const streamReleased = Promise.withResolvers<void>()
    await page.route("**/v1/agent/stream", async (route) => {
      await streamReleased.promise
      await route.continue()
    })
    await page.getByRole("textbox", { name: texts.question }).fill(slowAnswers.ru.question)
    await page.keyboard.press("Enter")
    await page.getByRole("link", { name: toolsTexts.en.title }).first().click()
    await page.getByRole("heading", { level: 1, name: toolsTexts.en.title }).waitFor()
    await page.getByRole("link", { name: pageName("/analyst") }).first().click()
    streamReleased.resolve()
    await page.getByRole("article").getByText(slowAnswers.ru.firstHalf).waitFor()
    expect(page.url()).toMatch(/analyst\/\d+$/u)
    const abortedRequest = page.waitForEvent("requestfailed", (request) => request.url().includes("/v1/agent/"))
    await page.getByRole("button", { name: frameTexts.en.accountMenu }).click()
    await page.getByRole("menuitem", { name: frameTexts.en.signOut }).click()
    await abortedRequest
    environment().model.cue("ru")
  })
}

export const testAnalyst = (environment: () => TestEnvironment): void => {
  it.each(testedLanguages)(
    "resumes an answer after a reload, and shows the stored answer at its end (%s)",
    async (language) => {
      const texts = analystTexts[language]
      const { question, firstHalf, secondHalf } = slowAnswers[language]
      const { goTo, page } = await environment().openSignedIn(await environment().createAccount(), { language })
      await goTo("/analyst")
      const conversationReleased = Promise.withResolvers<void>()
      await page.route(/conversations\/\d+\?/u, async (route) => {
        await conversationReleased.promise
        await route.continue()
      })
      const streamReleased = Promise.withResolvers<void>()
      await page.route("**/v1/agent/stream", async (route) => {
        await streamReleased.promise
        await route.continue()
      })
      await page.getByRole("textbox", { name: texts.question }).fill(question)
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: texts.stop, disabled: false }).waitFor()
      streamReleased.resolve()
      await page.waitForURL(/analyst\/\d+$/u)
      const answerArticle = page.getByRole("article").last()
      await answerArticle.getByText(firstHalf).waitFor()
      await page.getByRole("button", { name: texts.stop }).waitFor()
      conversationReleased.resolve()
      await page.reload()
      await answerArticle.getByText(firstHalf).waitFor()
      expect((await readStoredMessages(page)).map(({ role }) => role)).toEqual(["user"])
      environment().model.cue(language)
      await page.getByRole("button", { name: texts.again }).waitFor()
      const storedTexts = (await readStoredMessages(page)).map(({ content }) => content)
      expect(storedTexts).toEqual([question, `${firstHalf} ${secondHalf}`])
      expect(await answerArticle.getByRole("paragraph").allInnerTexts()).toEqual(storedTexts.slice(1))
    }
  )
}

export const testFigures = (environment: () => TestEnvironment): void => {
  it.each(["wide", "phone"] as const)(
    "shows the source of a number when it is focused, hovered or tapped, and marks a number without a source (%s)",
    async (screen) => {
      const texts = analystTexts.en
      const { goTo, page } = await environment().openSignedIn(await environment().createAccount(), { screen })
      await goTo("/analyst")
      await page.getByRole("textbox", { name: texts.question }).fill(figureQuestion)
      await page.getByRole("button", { name: texts.send, exact: true }).click()
      await page.getByText(texts.figuresUnmatched(1)).waitFor()
      await page.reload()
      await page.getByText(texts.figuresUnmatched(1)).waitFor()
      const answer = page.getByRole("article").last()
      const [price, invented] = [answer.locator("strong button"), answer.getByRole("button", { name: inventedNumber })]
      const source = page.getByRole("tooltip")
      const actions = screen === "wide" ? (["focus", "hover"] as const) : (["focus", "tap"] as const)
      for (const act of actions) {
        await price[act]()
        await source.getByText("get_price: price").waitFor()
        const { height, width, x, y } = (await source.boundingBox())!
        const { clientHeight, clientWidth } = await page.evaluate(() => {
          const { clientHeight, clientWidth } = document.documentElement
          return { clientHeight, clientWidth }
        })
        expect(x >= 0 && y >= 0 && x + width <= clientWidth && y + height <= clientHeight).toBe(true)
        await invented[act]()
        await source.getByText(texts.figureUnmatched).waitFor()
        expect(await source.count()).toBe(1)
        await page.keyboard.press("Escape")
        await source.waitFor({ state: "detached" })
      }
    }
  )
}

export const testAnalystFlows = (environment: () => TestEnvironment): void => {
  it("sends a pasted image to the model with the question, unless its button removed it", async () => {
    const texts = analystTexts.en
    const { goTo, page } = await environment().openSignedIn(await environment().createAccount())
    await goTo("/analyst")
    await page.getByRole("textbox", { name: texts.question }).fill("What is this?")
    for (const name of ["one.png", "two.png"]) await paste(page, name)
    await page.getByRole("img", { name: "two.png" }).waitFor()
    await page.getByRole("button", { name: texts.imageRemove("two.png") }).click()
    await page.getByRole("button", { name: texts.send, exact: true }).click()
    await page.getByText(texts.imageSummary("PNG", 1, 1)).waitFor()
    const requestBodies = environment().model.log().map(({ body }) => JSON.stringify(body)).filter((text) =>
      text.includes("What is this?")
    )
    expect(requestBodies[0]!.split(image)).toHaveLength(2)
  })

  it("reports exhausted credits on the pages of a tool, usage and the analyst, and charges nothing", async () => {
    const account = await environment().createAccount("spent")
    const key = await environment().issueKey(account)
    for (const _ of [1, 2]) await callTool(environment(), key, "get_price", { coin: "BTC" })
    const { goTo, page } = await environment().openSignedIn(account)
    await goTo("/tools/get_price")
    await page.getByRole("button", { name: toolTexts.en.run, exact: true }).click()
    await page.getByRole("alert").getByText(widgetTexts.en.outOfCredits).waitFor()
    await goTo("/usage")
    await page.getByText(usageTexts.en.exhausted).waitFor()
    await goTo("/analyst")
    await page.getByText(analystTexts.en.unaffordable).waitFor()
    const { credits } = await (await page.request.get("/v1/usage")).json()
    expect(credits).toMatchObject({ used: 2, reserved: 0, left: 0 })
  })
}
