/* The update of one parameter by each optimizer, on dense arrays of the parameter, its gradient and up to three states.

   Coefficients are doubles in k, in the order in which each loop reads them (optim/_fused.pyx fills them in). A
   condition that a loop would otherwise test for every element is a bit of `variant`: callers pass a literal, so that
   every combination becomes a loop without branches. Bit 1 is a decay that is added to the gradient; the other bits are
   described before their loop.

   The file is a template without includes, which the compiler of whole programs also puts into its C code
   (optim/steps.pyx). The user defines: FL_REAL, the type of an element; FL_INDEX, a signed type for n; FL_LOOP(name),
   the head of a function `name` of (p, g, a, b, c, n, k, variant); FL_ROOT(x); FL_FMA(x, y, z), which is x * y + z,
   with the rounding that all users share: fused if the processor computes it fast. Every sum with a product uses it, so
   that no compiler chooses another rounding. */

/* Sutskever et al., On the importance of initialization and momentum in deep learning (2013), in PyTorch's form.
   2: momentum; 4: Nesterov's. */
FL_LOOP(sgd) {
    const FL_REAL sign = (FL_REAL)k[0], decay = (FL_REAL)k[1], rate = (FL_REAL)k[2];
    const FL_REAL keep = (FL_REAL)k[3], take = (FL_REAL)k[4];
    for (FL_INDEX i = 0; i < n; i++) {
        FL_REAL x = p[i], d = sign * g[i];
        if (variant & 1) d = FL_FMA(decay, x, d);
        if (variant & 2) {
            const FL_REAL m = FL_FMA(keep, a[i], take * d);
            a[i] = m;
            d = variant & 4 ? FL_FMA(keep, m, d) : m;
        }
        p[i] = FL_FMA(-rate, d, x);
    }
}

/* Kingma and Ba, Adam (2015); Loshchilov and Hutter's decay (2019) as `keep`; Reddi et al. (2018) with c.
   2: the maximum of the means of squares. */
FL_LOOP(adam) {
    const FL_REAL sign = (FL_REAL)k[0], decay = (FL_REAL)k[1], keep = (FL_REAL)k[2];
    const FL_REAL beta1 = (FL_REAL)k[3], rest1 = (FL_REAL)k[4], beta2 = (FL_REAL)k[5], rest2 = (FL_REAL)k[6];
    const FL_REAL eps = (FL_REAL)k[7], rate = (FL_REAL)k[8], correction = (FL_REAL)k[9];
    for (FL_INDEX i = 0; i < n; i++) {
        const FL_REAL x = p[i];
        FL_REAL d = sign * g[i];
        if (variant & 1) d = FL_FMA(decay, x, d);
        const FL_REAL m = FL_FMA(beta1, a[i], rest1 * d);
        FL_REAL s = FL_FMA(beta2, b[i], rest2 * (d * d));
        a[i] = m;
        b[i] = s;
        if (variant & 2) {
            const FL_REAL t = c[i] < s ? s : c[i];
            s = s != s ? s : t;  /* NaN if either is, as in maximum */
            c[i] = s;
        }
        p[i] = FL_FMA(-rate, m / FL_FMA(FL_ROOT(s), correction, eps), keep * x);
    }
}

/* Tieleman and Hinton (2012); centered as in Graves, Generating sequences with recurrent neural networks (2013).
   2: momentum; 4: centered. */
FL_LOOP(rmsprop) {
    const FL_REAL sign = (FL_REAL)k[0], decay = (FL_REAL)k[1], rate = (FL_REAL)k[2];
    const FL_REAL alpha = (FL_REAL)k[3], rest = (FL_REAL)k[4], eps = (FL_REAL)k[5], keep = (FL_REAL)k[6];
    for (FL_INDEX i = 0; i < n; i++) {
        const FL_REAL x = p[i];
        FL_REAL d = sign * g[i];
        if (variant & 1) d = FL_FMA(decay, x, d);
        FL_REAL s = FL_FMA(alpha, a[i], rest * (d * d));
        a[i] = s;
        if (variant & 4) {
            const FL_REAL m = FL_FMA(alpha, c[i], rest * d);
            c[i] = m;
            s = FL_FMA(-m, m, s);
        }
        d = d / (FL_ROOT(s) + eps);
        if (variant & 2) {
            d = FL_FMA(keep, b[i], d);
            b[i] = d;
        }
        p[i] = FL_FMA(-rate, d, x);
    }
}

/* Duchi, Hazan and Singer, Adaptive subgradient methods (2011). */
FL_LOOP(adagrad) {
    const FL_REAL sign = (FL_REAL)k[0], decay = (FL_REAL)k[1], rate = (FL_REAL)k[2], eps = (FL_REAL)k[3];
    for (FL_INDEX i = 0; i < n; i++) {
        const FL_REAL x = p[i];
        FL_REAL d = sign * g[i];
        if (variant & 1) d = FL_FMA(decay, x, d);
        const FL_REAL s = FL_FMA(d, d, a[i]);
        a[i] = s;
        p[i] = FL_FMA(-rate, d / (FL_ROOT(s) + eps), x);
    }
}

/* Zeiler, Adadelta: an adaptive learning rate method (2012). */
FL_LOOP(adadelta) {
    const FL_REAL sign = (FL_REAL)k[0], decay = (FL_REAL)k[1], rate = (FL_REAL)k[2];
    const FL_REAL rho = (FL_REAL)k[3], rest = (FL_REAL)k[4], eps = (FL_REAL)k[5];
    for (FL_INDEX i = 0; i < n; i++) {
        const FL_REAL x = p[i];
        FL_REAL d = sign * g[i];
        if (variant & 1) d = FL_FMA(decay, x, d);
        const FL_REAL s = FL_FMA(rho, a[i], rest * (d * d));
        a[i] = s;
        const FL_REAL step = FL_ROOT(b[i] + eps) / FL_ROOT(s + eps) * d;
        b[i] = FL_FMA(rho, b[i], rest * (step * step));
        p[i] = FL_FMA(-rate, step, x);
    }
}

/* Kingma and Ba, Adam (2015), section 7.1: the largest gradient instead of the mean of squares. */
FL_LOOP(adamax) {
    const FL_REAL sign = (FL_REAL)k[0], decay = (FL_REAL)k[1], rate = (FL_REAL)k[2];
    const FL_REAL beta1 = (FL_REAL)k[3], rest1 = (FL_REAL)k[4], beta2 = (FL_REAL)k[5], eps = (FL_REAL)k[6];
    for (FL_INDEX i = 0; i < n; i++) {
        const FL_REAL x = p[i];
        FL_REAL d = sign * g[i];
        if (variant & 1) d = FL_FMA(decay, x, d);
        const FL_REAL m = FL_FMA(beta1, a[i], rest1 * d);
        a[i] = m;
        const FL_REAL before = beta2 * b[i], now = (d < 0 ? -d : d) + eps;
        const FL_REAL most = before < now ? now : before;
        const FL_REAL s = now != now ? now : most;  /* NaN if either is, as in maximum */
        b[i] = s;
        p[i] = FL_FMA(-rate, m / s, x);
    }
}

/* Dozat, Incorporating Nesterov momentum into Adam (2016); `along` and `rate` contain the schedule of the momentum. */
FL_LOOP(nadam) {
    const FL_REAL sign = (FL_REAL)k[0], decay = (FL_REAL)k[1], keep = (FL_REAL)k[2];
    const FL_REAL beta1 = (FL_REAL)k[3], rest1 = (FL_REAL)k[4], beta2 = (FL_REAL)k[5], rest2 = (FL_REAL)k[6];
    const FL_REAL eps = (FL_REAL)k[7], along = (FL_REAL)k[8], rate = (FL_REAL)k[9], correction = (FL_REAL)k[10];
    for (FL_INDEX i = 0; i < n; i++) {
        const FL_REAL x = keep * p[i];
        FL_REAL d = sign * g[i];
        if (variant & 1) d = FL_FMA(decay, x, d);
        const FL_REAL m = FL_FMA(beta1, a[i], rest1 * d);
        const FL_REAL s = FL_FMA(beta2, b[i], rest2 * (d * d));
        a[i] = m;
        b[i] = s;
        p[i] = FL_FMA(keep, p[i], -(FL_FMA(along, d, rate * m) / FL_FMA(FL_ROOT(s), correction, eps)));
    }
}

/* Liu et al., On the variance of the adaptive learning rate and beyond (2020); not rectified if k[9] is 0. */
FL_LOOP(radam) {
    const FL_REAL sign = (FL_REAL)k[0], decay = (FL_REAL)k[1], keep = (FL_REAL)k[2];
    const FL_REAL beta1 = (FL_REAL)k[3], rest1 = (FL_REAL)k[4], beta2 = (FL_REAL)k[5], rest2 = (FL_REAL)k[6];
    const FL_REAL eps = (FL_REAL)k[7], rate = (FL_REAL)k[8];
    const int adapts = k[9] != 0;
    for (FL_INDEX i = 0; i < n; i++) {
        const FL_REAL x = keep * p[i];
        FL_REAL d = sign * g[i];
        if (variant & 1) d = FL_FMA(decay, x, d);
        const FL_REAL m = FL_FMA(beta1, a[i], rest1 * d);
        const FL_REAL s = FL_FMA(beta2, b[i], rest2 * (d * d));
        a[i] = m;
        b[i] = s;
        p[i] = FL_FMA(-rate, adapts ? m / (FL_ROOT(s) + eps) : m, x);
    }
}

/* Riedmiller and Braun, The RPROP algorithm (1993), without reverting steps. */
FL_LOOP(rprop) {
    const FL_REAL sign = (FL_REAL)k[0], less = (FL_REAL)k[1], more = (FL_REAL)k[2];
    const FL_REAL least = (FL_REAL)k[3], most = (FL_REAL)k[4];
    for (FL_INDEX i = 0; i < n; i++) {
        FL_REAL d = sign * g[i];
        const FL_REAL both = d * a[i];
        FL_REAL s = b[i] * (both > 0 ? more : both < 0 ? less : 1);
        s = s < least ? least : s > most ? most : s;
        b[i] = s;
        d = both < 0 ? 0 : d;
        p[i] = p[i] - (d > 0 ? s : d < 0 ? -s : 0);
        a[i] = d;
    }
}

/* Polyak and Juditsky, Acceleration of stochastic approximation by averaging (1992). */
FL_LOOP(asgd) {
    const FL_REAL sign = (FL_REAL)k[0], decay = (FL_REAL)k[1], keep = (FL_REAL)k[2], rate = (FL_REAL)k[3];
    const FL_REAL share = (FL_REAL)k[4];
    const int averages = k[4] != 1;
    for (FL_INDEX i = 0; i < n; i++) {
        FL_REAL x = p[i], d = sign * g[i];
        if (variant & 1) d = FL_FMA(decay, x, d);
        x = FL_FMA(-rate, d, keep * x);
        p[i] = x;
        a[i] = averages ? FL_FMA(share, x - a[i], a[i]) : x;
    }
}
