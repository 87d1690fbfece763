import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { bellWords } from "../../../browser/app/bell/words.ts"
import { frameWords } from "../../../browser/app/words.ts"
import { analystWords } from "../../../browser/pages/analyst/words.ts"
import { tradeWords } from "../../../browser/pages/journal/tradeWords.ts"
import { journalWords } from "../../../browser/pages/journal/words.ts"
import { keyDialogWords } from "../../../browser/pages/keys/dialogWords.ts"
import { keysWords } from "../../../browser/pages/keys/words.ts"
import { marketWords } from "../../../browser/pages/market/words.ts"
import { sessionsWords } from "../../../browser/pages/sessions/words.ts"
import { taskFormWords } from "../../../browser/pages/tasks/formWords.ts"
import { taskWords } from "../../../browser/pages/tasks/words.ts"
import { toolWords } from "../../../browser/pages/tool/words.ts"
import { beforeThePage, faultsIn, settled } from "../support/axe.ts"
import { answered, take } from "../support/forms.ts"
import type { Furnished } from "../support/furnish.ts"
import type { House } from "../support/house.ts"

/** An element that a page can open. */
interface Opened {
  readonly name: string
  /** The address of the page; the same page as before if undefined. */
  readonly path?: string
  readonly open: (page: Page) => Promise<void>
  /** True if the element is a dialog only on a phone, because a wide screen has room for it in the page. */
  readonly onPhone?: boolean
}

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole("button", { name, ...(typeof name === "string" ? { exact: true } : {}) }).filter({ visible: true })
    .first().click()

const tab = (page: Page, name: string): Promise<void> => page.getByRole("tab", { name, exact: true }).click()

const ran = async (page: Page): Promise<void> => {
  await press(page, toolWords.en.run)
  await answered(page)
}

const [keys, journal, tasks, form] = [keysWords.en, journalWords.en, taskWords.en, taskFormWords.en]

/** The elements of an account with a position, a watch, a key and a conversation. */
const opened = ({ conversation, key, waiting }: Furnished): ReadonlyArray<Opened> => [
  { name: "a new key", path: "/keys", open: (page) => press(page, keys.issue) },
  { name: "a key's change", open: (page) => press(page, keys.change(key)) },
  { name: "a key's end", open: (page) => press(page, keys.revoke(key)) },
  { name: "the end of other sessions", path: "/sessions", open: (page) => press(page, sessionsWords.en.endOthers) },
  { name: "a new position", path: "/journal", open: (page) => press(page, journal.record) },
  { name: "a position's change", open: (page) => take(page, journal.more("BTC"), journal.change) },
  { name: "a position's close", open: (page) => take(page, journal.more("BTC"), journal.close) },
  { name: "a position's deletion", open: (page) => take(page, journal.more("BTC"), journal.remove) },
  { name: "a position's menu", open: (page) => press(page, journal.more("BTC")) },
  { name: "the trades", open: (page) => tab(page, journal.trades) },
  { name: "a new note", open: (page) => press(page, tradeWords.en.addNote) },
  { name: "the statistics", open: (page) => tab(page, journal.statistics) },
  { name: "the watchlist", open: (page) => tab(page, journal.watchlist) },
  { name: "the risk", open: (page) => tab(page, journal.risk) },
  { name: "a new watch", path: "/tasks", open: (page) => press(page, tasks.make) },
  {
    name: "a new schedule",
    open: async (page) => {
      await press(page, tasks.make)
      await page.getByRole("dialog").getByRole("radio", { name: form.schedule }).click()
    }
  },
  { name: "a task's change", open: (page) => take(page, tasks.more(waiting), tasks.change) },
  { name: "a task's deletion", open: (page) => take(page, tasks.more(waiting), tasks.remove) },
  { name: "a table", path: "/tools/get_price_history", open: ran },
  { name: "a tree", path: "/tools/get_positions", open: ran },
  { name: "the bell", open: (page) => press(page, new RegExp(`^${bellWords.en.button(0)}`, "u")) },
  { name: "the corner", open: (page) => press(page, new RegExp(`${frameWords.en.accountMenu}$`, "u")) },
  { name: "all pages", onPhone: true, path: "/keys", open: (page) => press(page, frameWords.en.more) },
  { name: "all coins", onPhone: true, path: "/market/BTC", open: (page) => press(page, marketWords.en.choose) },
  {
    name: "all conversations",
    onPhone: true,
    path: `/analyst/${conversation}`,
    open: (page) => press(page, analystWords.en.conversations)
  }
]

export const everyOpened = (house: () => House, furnished: () => Furnished): void => {
  it.each(["wide", "phone"] as const)(
    "axe finds no violation in what a page opens, in either theme (%s)",
    async (screen) => {
      // Creates a second session.
      await house().signedIn(furnished().account)
      const { go, page } = await house().signedIn(furnished().account, { screen })
      for (const [i, { name, onPhone = false, open, path }] of opened(furnished()).entries()) {
        if (onPhone && screen !== "phone") continue
        if (path !== undefined) {
          await go(path)
          await settled(page)
        }
        await open(page)
        const found = await faultsIn(page, i % 2 === 0 ? "light" : "dark", beforeThePage)
        expect.soft({ name, found }).toEqual({ name, found: [] })
        await page.keyboard.press("Escape")
        await page.getByRole("dialog").or(page.getByRole("menu")).waitFor({ state: "detached" })
      }
      await go("/keys")
      await press(page, keys.issue)
      await page.getByRole("textbox", { name: keyDialogWords.en.name }).fill(screen)
      await press(page, keyDialogWords.en.issue)
      await page.getByText(keyDialogWords.en.shownTitle).waitFor()
      expect.soft({ name: "a key that is shown", found: await faultsIn(page, "light", beforeThePage) })
        .toEqual({ name: "a key that is shown", found: [] })
    }
  )
}
