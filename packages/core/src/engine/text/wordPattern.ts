/**
 * Builds a pattern that matches whole English words, Korean stems and the beginnings of Russian words. Korean particles
 * may follow a stem, and Russian words may have any ending.
 */
export const wordPattern = (english: string, korean: string, russian: string, flags = "iu"): RegExp =>
  new RegExp(
    `(?<![a-zа-я0-9])(?:${english})(?![a-zа-я])|${korean}|(?<![a-zа-я])(?:${russian})`,
    flags
  )
