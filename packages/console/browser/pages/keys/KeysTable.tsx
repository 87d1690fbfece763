import type { Key } from "@tapeline/client"
import { Ban, RefreshCw, SlidersHorizontal } from "lucide-react"
import { useMemo } from "react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useRelativeTime } from "../../i18n/relativeTime.ts"
import { useTexts } from "../../i18n/texts.ts"
import { Button } from "../../widgets/Button.tsx"
import { actionsColumn, type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { Badge } from "../../widgets/layout.tsx"
import lists from "../../widgets/lists.module.css"
import styles from "./KeysPage.module.css"
import { getKeyState, type KeyState } from "./keyState.ts"
import { keyLimitTexts } from "./limitTexts.ts"
import { keysTexts } from "./texts.ts"

export interface KeyActions {
  readonly change: (key: Key) => void
  readonly rotate: (key: Key) => void
  readonly revoke: (key: Key) => void
}

const badgeVariants = { live: "good", ending: "tape", expired: "plain", revoked: "plain" } as const

const KeyStateBadge = ({ state }: { readonly state: KeyState }) => {
  const texts = useTexts(keysTexts)
  const names = {
    live: texts.stateLive,
    ending: texts.stateEnding,
    expired: texts.stateExpired,
    revoked: texts.stateRevoked
  }
  return <Badge variant={badgeVariants[state]}>{names[state]}</Badge>
}

/** The limits of a key; nothing for a key without limits. */
const KeyLimits = ({ apiKey: key }: { readonly apiKey: Key }) => {
  const texts = useTexts(keyLimitTexts)
  const { integer } = useNumbers()
  const { allowed_ips, credits_used, monthly_credits, requests_per_minute } = key
  return (
    <>
      {monthly_credits !== null && (
        <span className="nowrap">{texts.creditsOf(integer(credits_used ?? 0), integer(monthly_credits))}</span>
      )}
      {requests_per_minute !== null && <span className="nowrap">{texts.perMinute(integer(requests_per_minute))}</span>}
      {allowed_ips.map((range) => <code key={range}>{range}</code>)}
    </>
  )
}

const hasLimits = ({ allowed_ips, monthly_credits, requests_per_minute }: Key): boolean =>
  monthly_credits !== null || requests_per_minute !== null || allowed_ips.length > 0

/** The table cell with a key's name and, on a narrow screen, the key's other properties. */
const KeyName = ({ apiKey: key, now }: { readonly apiKey: Key; readonly now: number }) => {
  const texts = useTexts(keysTexts)
  const ago = useRelativeTime()
  const { day } = useNumbers()
  return (
    <div className={styles["named"]}>
      <span className="medium">{key.name}</span>
      <code className="soft nowrap">{key.prefix}…</code>
      <span className={lists["under"]}>
        <KeyStateBadge state={getKeyState(key, now)} />
        <span>{key.last_used_at === null ? texts.unused : texts.used(ago(key.last_used_at, now))}</span>
        {key.expires_at !== null && <span>{texts.ends(day(key.expires_at))}</span>}
        <code>{key.scopes.join(" ")}</code>
        <KeyLimits apiKey={key} />
      </span>
    </div>
  )
}

const KeyActionButtons = ({ actions, apiKey: key }: { readonly apiKey: Key; readonly actions: KeyActions }) => {
  const [texts, limitTexts] = [useTexts(keysTexts), useTexts(keyLimitTexts)]
  return (
    <>
      <Button variant="quiet" isSquare aria-label={texts.change(key.name)} onPress={() => actions.change(key)}>
        <SlidersHorizontal aria-hidden />
      </Button>
      <Button variant="quiet" isSquare aria-label={limitTexts.rotate(key.name)} onPress={() => actions.rotate(key)}>
        <RefreshCw aria-hidden />
      </Button>
      <Button variant="quiet" isSquare aria-label={texts.revoke(key.name)} onPress={() => actions.revoke(key)}>
        <Ban aria-hidden />
      </Button>
    </>
  )
}

const parseTime = (text: string | null): number | null => text === null ? null : Date.parse(text)

const useColumns = (now: number, actions: KeyActions | undefined): ReadonlyArray<DataColumn<Key>> => {
  const [texts, limitTexts] = [useTexts(keysTexts), useTexts(keyLimitTexts)]
  const ago = useRelativeTime()
  const { day } = useNumbers()
  return useMemo(() => [
    {
      id: "name",
      title: texts.name,
      isHead: true,
      order: ({ name }) => name,
      cell: (key) => <KeyName apiKey={key} now={now} />
    },
    {
      id: "scopes",
      title: texts.scopes,
      isMinor: true,
      cell: ({ scopes }) => (
        <span className={styles["scopes"]}>{scopes.map((scope) => <code key={scope}>{scope}</code>)}</span>
      )
    },
    {
      id: "limits",
      title: limitTexts.limits,
      isMinor: true,
      cell: (key) => (
        <span className={styles["scopes"]}>{hasLimits(key) ? <KeyLimits apiKey={key} /> : limitTexts.noLimits}</span>
      )
    },
    {
      id: "created",
      title: texts.created,
      isMinor: true,
      order: ({ created_at }) => Date.parse(created_at),
      cell: ({ created_at }) => <span className={lists["when"]}>{day(created_at)}</span>
    },
    {
      id: "lastUse",
      title: texts.lastUse,
      isMinor: true,
      order: ({ last_used_at }) => parseTime(last_used_at),
      cell: ({ last_used_at }) => (
        <span className={lists["when"]}>{last_used_at === null ? texts.never : ago(last_used_at, now)}</span>
      )
    },
    {
      id: "expires",
      title: texts.expires,
      isMinor: true,
      order: ({ expires_at }) => parseTime(expires_at),
      cell: ({ expires_at }) => (
        <span className={lists["when"]}>{expires_at === null ? texts.never : day(expires_at)}</span>
      )
    },
    {
      id: "state",
      title: texts.state,
      isMinor: true,
      cell: (key) => (
        <span className={lists["when"]}>
          <KeyStateBadge state={getKeyState(key, now)} />
        </span>
      )
    },
    ...(actions === undefined
      ? []
      : [actionsColumn(texts.actions, (key: Key) => <KeyActionButtons apiKey={key} actions={actions} />)])
  ], [texts, limitTexts, ago, day, now, actions])
}

const idOf = ({ id }: Key): number => id

/** A table of keys, without action buttons for revoked and expired keys. */
export const KeysTable = ({ actions, keys, label, now }: {
  readonly keys: ReadonlyArray<Key>
  readonly label: string
  readonly now: number
  readonly actions?: KeyActions | undefined
}) => {
  const columns = useColumns(now, actions)
  return <DataTable label={label} rows={keys} columns={columns} rowId={idOf} />
}
