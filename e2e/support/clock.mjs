// Script that fixes the current time in the pages of browser tests.

/**
 * Init script that fixes a page's `Date` at `now` (epoch ms). Timers and frames stay real. Playwright's own clock
 * replaces frames by timers of 16 ms: a slow machine runs two of them before it paints once, and a spec that waits for
 * frames then reads a state that was never on screen.
 */
export const standingAt = (now) => `(${fixDate})(${Number(now)});`;

function fixDate(now) {
  const RealDate = Date;
  function FixedDate(...args) {
    if (new.target === undefined) return new RealDate(now).toString();
    return Reflect.construct(RealDate, args.length === 0 ? [now] : args, new.target);
  }
  Object.setPrototypeOf(FixedDate, RealDate);
  FixedDate.prototype = RealDate.prototype;
  FixedDate.prototype.constructor = FixedDate;
  FixedDate.now = () => now;
  globalThis.Date = FixedDate;
}
