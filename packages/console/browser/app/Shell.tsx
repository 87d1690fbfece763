import { Ellipsis } from "lucide-react"
import { type ReactNode, useState } from "react"
import { Button as Pressed } from "react-aria-components"
import { pages } from "../pages/index.ts"
import type { Page } from "../pages/page.ts"
import { Dialog } from "../widgets/Dialog.tsx"
import { Link } from "../widgets/parts.tsx"
import { useLanguage } from "../words/Languages.tsx"
import { useWords } from "../words/words.ts"
import { corner } from "./corner.tsx"
import { Mark } from "./Mark.tsx"
import styles from "./Shell.module.css"
import { frameWords } from "./words.ts"

type Placed = Page & { readonly place: NonNullable<Page["place"]> }

const placed = pages.filter((page): page is Placed => page.place !== undefined)

/** True if `at` is the page or below the page: `/tools/get_price` is below the tools. */
const isAt = ({ path }: Page, at: string): boolean => at === path || (path !== "/" && at.startsWith(`${path}/`))

const Entry = ({ at, page }: { readonly page: Placed; readonly at: string }) => {
  const { language } = useLanguage()
  const Icon = page.place.icon
  const isHere = isAt(page, at)
  return (
    <li
      className={`${styles["entry"]} ${isHere ? styles["here"] : ""}`}
      {...(isHere ? { "aria-current": "page" } : {})}
    >
      <Link href={page.path} look="block">
        <Icon aria-hidden />
        <span>{page.name[language]}</span>
      </Link>
    </li>
  )
}

const Group = ({ at, group, title }: {
  readonly at: string
  readonly group: Placed["place"]["group"]
  readonly title?: string
}) => {
  const found = placed.filter(({ place }) => place.group === group)
  if (found.length === 0) return null
  return (
    <>
      {title !== undefined && <p className={styles["group"]}>{title}</p>}
      <ul className={styles["list"]}>
        {found.map((page) => <Entry key={page.path} page={page} at={at} />)}
      </ul>
    </>
  )
}

/** The number of pages in the bar of a narrow screen. The last place of the bar opens the others. */
const inBar = 4

/** The bar at the foot of a narrow screen. */
const Bar = ({ at }: { readonly at: string }) => {
  const says = useWords(frameWords)
  const [isOpen, setIsOpen] = useState(false)
  const first = placed.slice(0, placed.length > inBar + 1 ? inBar : inBar + 1)
  return (
    <nav className={styles["bar"]} aria-label={says.navigation}>
      <ul className={styles["barList"]}>
        {first.map((page) => <Entry key={page.path} page={page} at={at} />)}
        {placed.length > first.length && (
          <li className={styles["entry"]}>
            <Pressed className={styles["more"]!} onPress={() => setIsOpen(true)}>
              <Ellipsis aria-hidden />
              <span>{says.more}</span>
            </Pressed>
          </li>
        )}
      </ul>
      <Dialog title={says.moreTitle} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        {/* Following a link closes the dialog. */}
        <div className={styles["all"]} onClickCapture={() => setIsOpen(false)} role="presentation">
          <Group at={at} group="work" />
          <Group at={at} group="account" title={says.account} />
        </div>
      </Dialog>
    </nav>
  )
}

/** The frame of pages with a sign-in: navigation at the side, or at the bottom of a narrow screen. */
export const Shell = ({ at, children }: { readonly at: string; readonly children: ReactNode }) => {
  const says = useWords(frameWords)
  return (
    <div className={styles["shell"]}>
      <a className={styles["skip"]} href="#page">{says.skip}</a>
      <aside className={styles["side"]}>
        <div className={styles["mark"]}>
          <Mark />
        </div>
        <nav aria-label={says.navigation}>
          <Group at={at} group="work" />
          <Group at={at} group="account" title={says.account} />
        </nav>
      </aside>
      <header className={styles["top"]}>
        <div className={styles["topMark"]}>
          <Mark />
        </div>
        <div className={styles["corner"]}>
          {corner.map(({ id, item }) => <span key={id} className={styles["item"]}>{item}</span>)}
        </div>
      </header>
      <main className={styles["page"]} id="page" tabIndex={-1}>{children}</main>
      <Bar at={at} />
    </div>
  )
}
