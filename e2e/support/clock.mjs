// The time a page stands at.

/**
 * A script that lets `Date` of a page stand at `now` (epoch ms), and leaves all else running. Playwright's own clock would
 * replace frames by timers of 16 ms: two of them pass before a slow machine has painted once, and a spec that waits for
 * frames then looks at what nobody would see.
 */
export const standingAt = (now) => `(${standAt})(${Number(now)});`;

function standAt(now) {
  const Real = Date;
  function Standing(...words) {
    if (new.target === undefined) return new Real(now).toString();
    return Reflect.construct(Real, words.length === 0 ? [now] : words, new.target);
  }
  Object.setPrototypeOf(Standing, Real);
  Standing.prototype = Real.prototype;
  Standing.prototype.constructor = Standing;
  Standing.now = () => now;
  globalThis.Date = Standing;
}
