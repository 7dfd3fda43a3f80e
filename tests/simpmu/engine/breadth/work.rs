// SPDX-License-Identifier: BSD-3-Clause
// Threads with channels, a panic that is caught, a sorted collection.
use std::collections::BTreeMap;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let counts = Arc::new(Mutex::new(BTreeMap::new()));
    let (sender, receiver) = channel();
    let threads: Vec<_> = (0..8u64)
        .map(|n| {
            let (counts, sender) = (counts.clone(), sender.clone());
            thread::spawn(move || {
                for i in 0..2000u64 {
                    *counts.lock().unwrap().entry((i * n) % 97).or_insert(0u64) += i;
                    sender.send(i ^ n).unwrap();
                }
            })
        })
        .collect();
    drop(sender);
    let sum: u64 = receiver.iter().sum();
    for thread in threads {
        thread.join().unwrap();
    }
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(|| {
        let v: Vec<i32> = Vec::new();
        v[sum as usize]
    });
    let counts = counts.lock().unwrap();
    println!("{} {} {:?} {}", sum, counts.len(), counts.get(&3), caught.is_err());
}
