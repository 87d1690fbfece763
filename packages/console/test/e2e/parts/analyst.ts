import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { frameWords } from "../../../browser/app/words.ts"
import { analystWords } from "../../../browser/pages/analyst/words.ts"
import { pages } from "../../../browser/pages/index.ts"
import { toolWords } from "../../../browser/pages/tool/words.ts"
import { toolsWords } from "../../../browser/pages/tools/words.ts"
import { usageWords } from "../../../browser/pages/usage/words.ts"
import { widgetWords } from "../../../browser/widgets/words.ts"
import { held } from "../support/analyst.ts"
import { tool } from "../support/calls.ts"
import type { House } from "../support/house.ts"
import { someLanguages } from "../support/inBrowser.ts"

const nameOf = (path: string): string => pages.find((page) => page.path === path)!.name.en

/** The stored messages of the page's conversation. */
const stored = async (page: Page): Promise<ReadonlyArray<{ readonly role: string; readonly content: string }>> => {
  const conversation = /\d+$/u.exec(page.url())![0]
  const answer = await page.request.get(`/v1/agent/conversations/${conversation}`)
  return (await answer.json()).messages
}

/** An image of one pixel. */
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

export const leaving = (house: () => House): void => {
  it("a question whose page is left before its conversation begins is found again, and is read no more by who leaves", async () => {
    const says = analystWords.en
    const { go, page } = await house().signedIn(await house().account())
    await go("/analyst")
    const begins = Promise.withResolvers<void>()
    await page.route("**/v1/agent/stream", async (route) => {
      await begins.promise
      await route.continue()
    })
    await page.getByRole("textbox", { name: says.question }).fill(held.ru.asked)
    await page.keyboard.press("Enter")
    await page.getByRole("link", { name: toolsWords.en.title }).first().click()
    await page.getByRole("heading", { level: 1, name: toolsWords.en.title }).waitFor()
    await page.getByRole("link", { name: nameOf("/analyst") }).first().click()
    begins.resolve()
    await page.getByRole("article").getByText(held.ru.begins).waitFor()
    expect(page.url()).toMatch(/analyst\/\d+$/u)
    const left = page.waitForEvent("requestfailed", (request) => request.url().includes("/v1/agent/"))
    await page.getByRole("button", { name: frameWords.en.accountMenu }).click()
    await page.getByRole("menuitem", { name: frameWords.en.leave }).click()
    await left
    house().model.cue("ru")
  })
}

export const analyst = (house: () => House): void => {
  it.each(someLanguages)(
    "an answer whose page is loaded anew in its middle is read to its end, and is the one that is kept (%s)",
    async (language) => {
      const says = analystWords[language]
      const { asked, begins, ends } = held[language]
      const { go, page } = await house().signedIn(await house().account(), { language })
      await go("/analyst")
      // The answer is visible, and can be stopped, before its conversation is loaded.
      const isRead = Promise.withResolvers<void>()
      await page.route(/conversations\/\d+\?/u, async (route) => {
        await isRead.promise
        await route.continue()
      })
      const hasBegun = Promise.withResolvers<void>()
      await page.route("**/v1/agent/stream", async (route) => {
        await hasBegun.promise
        await route.continue()
      })
      await page.getByRole("textbox", { name: says.question }).fill(asked)
      await page.keyboard.press("Enter")
      // The answer can also be stopped before its conversation begins.
      await page.getByRole("button", { name: says.stop, disabled: false }).waitFor()
      hasBegun.resolve()
      await page.waitForURL(/analyst\/\d+$/u)
      const answer = page.getByRole("article").last()
      await answer.getByText(begins).waitFor()
      await page.getByRole("button", { name: says.stop }).waitFor()
      isRead.resolve()
      await page.reload()
      await answer.getByText(begins).waitFor()
      expect((await stored(page)).map(({ role }) => role)).toEqual(["user"])
      house().model.cue(language)
      await page.getByRole("button", { name: says.again }).waitFor()
      const kept = (await stored(page)).map(({ content }) => content)
      expect(kept).toEqual([asked, `${begins} ${ends}`])
      expect(await answer.getByRole("paragraph").allInnerTexts()).toEqual(kept.slice(1))
    }
  )
}

export const analystWalks = (house: () => House): void => {
  it("an image that is pasted goes to the model with the question, and is taken away again by its button", async () => {
    const says = analystWords.en
    const { go, page } = await house().signedIn(await house().account())
    await go("/analyst")
    await page.getByRole("textbox", { name: says.question }).fill("What is this?")
    for (const name of ["one.png", "two.png"]) await paste(page, name)
    await page.getByRole("img", { name: "two.png" }).waitFor()
    await page.getByRole("button", { name: says.imageRemove("two.png") }).click()
    await page.getByRole("button", { name: says.send, exact: true }).click()
    await page.getByText(says.imageNoted("PNG", 1, 1)).waitFor()
    const seen = house().model.log().map(({ body }) => JSON.stringify(body)).filter((text) =>
      text.includes("What is this?")
    )
    expect(seen[0]!.split(image)).toHaveLength(2)
  })

  it("out of credits, the tool, the usage and the analyst say so, and nothing is charged", async () => {
    const account = await house().account("spent")
    const key = await house().key(account)
    for (const _ of [1, 2]) await tool(house(), key, "get_price", { coin: "BTC" })
    const { go, page } = await house().signedIn(account)
    await go("/tools/get_price")
    await page.getByRole("button", { name: toolWords.en.run, exact: true }).click()
    await page.getByRole("alert").getByText(widgetWords.en.outOfCredits).waitFor()
    await go("/usage")
    await page.getByText(usageWords.en.out).waitFor()
    await go("/analyst")
    await page.getByText(analystWords.en.unaffordable).waitFor()
    const { credits } = await (await page.request.get("/v1/usage")).json()
    expect(credits).toMatchObject({ used: 2, reserved: 0, left: 0 })
  })
}
